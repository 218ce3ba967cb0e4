/** What every page of the app shares: the menu of narrow screens, the theme, the status line. */
import "./style.css";
import { startAddress, startCopyLink, startRunNote } from "./address";
import { startKeys } from "./keys";
import { startLost } from "./lost";
import { startMenu } from "./menu";
import { startStatus } from "./status";
import { startTheme } from "./theme";
import { startTour } from "./tour/tour";

startAddress();
startCopyLink();
startRunNote();
startKeys();
startLost();
startMenu();
startStatus();
startTheme();
startTour();
