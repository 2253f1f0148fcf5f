/** The script of the server-rendered pages: they work without it, and are quicker and kinder with it. */
import "../styles/fonts.css";
import "../styles/base.css";
import "../styles/reference.css";
import "../styles/runs.css";
import "./pages.css";
import { startCopying } from "./copy";
import { startDialogs } from "./dialogs";
import { startFolders } from "./folders";
import { startForms } from "./forms";
import { startFound } from "./found";
import { startLive } from "./live";
import { startMenus } from "./menus";
import { startReference } from "./reference";
import { startTheme } from "./theme";
import { startToasts } from "./toasts";
import { startWriting } from "./write";

startTheme();
startMenus();
startDialogs();
startToasts();
startCopying();
startFolders();
startForms();
startFound();
startWriting();
startReference();
startLive();
