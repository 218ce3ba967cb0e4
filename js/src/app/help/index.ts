/** The help page has a style and no script of its own. */
import "./style.css";
