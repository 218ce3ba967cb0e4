/** What every page of the app shares: the menu of narrow screens, the theme, the status line. */
import "./style.css";
import { startMenu } from "./menu";
import { startStatus } from "./status";
import { startTheme } from "./theme";
import { startTour } from "./tour/tour";

startMenu();
startStatus();
startTheme();
startTour();
