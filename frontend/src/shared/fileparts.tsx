import { later } from "./later";

/** What files need is fetched with the first of them: most conversations have none. */
export const FileCard = later(
  () => import("./FileCard").then((part) => part.FileCard),
  ({ file }) => (
    <span class="value-short" dir="auto">
      {file.name}
    </span>
  ),
);

export const FileBox = later(() => import("./FileBox").then((part) => part.FileBox));
