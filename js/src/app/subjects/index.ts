/** The library of subjects. */
import "./style.css";
import { startSubjects } from "./Page";

startSubjects(document.getElementById("subjects"));
