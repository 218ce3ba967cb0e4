/** Why there is no answer: nobody is there, or the server no longer answers this person. */
import { useEffect, useState } from "preact/hooks";
import { ApiError, getJson } from "../lib/api";

/** Why the server refuses to answer this page; empty where it answers, or nobody is there. */
export async function refusal(): Promise<string> {
  try {
    await getJson("api/status");
  } catch (error) {
    if (error instanceof ApiError) return error.message;
  }
  return "";
}

/** What the line at the bottom says while no answer comes. */
export function Silence() {
  const [text, setText] = useState("The server does not answer. Start it again to go on.");
  useEffect(() => {
    refusal().then((why) => why && setText(why));
  }, []);
  return <span class="warn">{text}</span>;
}
