/** What elements are made with; the build puts it into every module that has some. */
export { createElement, Fragment } from "preact";
