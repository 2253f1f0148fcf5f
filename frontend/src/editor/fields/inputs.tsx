/** @jsxImportSource react */
import type { FC } from "react";
import type { Widget } from "../../generated/language";
import { AnswerShape } from "./AnswerShape";
import { FormFields } from "./FormFields";
import { Choice, Code, Color, Line, NumberBox, Shown, Switch, Text } from "./Line";
import { ListOf } from "./ListOf";
import { MapOf } from "./MapOf";
import { ObjectOf } from "./ObjectOf";
import { PickAgent, PickChannel, PickCollection, PickDatabase, PickFlow, PickNode, PickRoute, PickTool } from "./Pick";
import type { InputProps } from "./Row";
import { Template } from "./Template";
import { Value } from "./Value";

/** The input of a line that may hold templates. */
const LineOf: FC<InputProps> = (props) => (props.field.ref === "template" ? <Template {...props} lines={1} /> : <Line {...props} />);

/** The input of each widget. One that is missing here does not compile. */
export const INPUTS: Record<Widget, FC<InputProps>> = {
  line: LineOf,
  text: Text,
  prompt: Template,
  code: Code,
  switch: Switch,
  number: NumberBox,
  choice: Choice,
  list: ListOf,
  map: MapOf,
  object: ObjectOf,
  channel: PickChannel,
  node: PickNode,
  route: PickRoute,
  tool: PickTool,
  collection: PickCollection,
  database: PickDatabase,
  flow: PickFlow,
  agent: PickAgent,
  fields: FormFields,
  schema: AnswerShape,
  json: Value,
  color: Color,
  shown: Shown,
};
