/** What every page of the app shares: the menu of narrow screens, the theme, the status line. */
import "./style.css";
import { startAddress } from "./address";
import { startMenu } from "./menu";
import { startStatus } from "./status";
import { startTheme } from "./theme";
import { startTour } from "./tour/tour";

startAddress();
startMenu();
startStatus();
startTheme();
startTour();
