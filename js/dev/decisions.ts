/** The dev page of the decisions bench; the address chooses what is shown: decisions.html. */
import bench from "../src/benches/decisions";
import type { DecisionBenchState } from "../src/generated/decisions";
import { recorded } from "./recorded";
import scenarios from "./recorded/decisions.json";
import { mount, recordedModel } from "./shown";

mount(bench, () => recordedModel(recorded<DecisionBenchState>(scenarios)));
