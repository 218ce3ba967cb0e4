/** The dev page: the bench in a recorded state. The address chooses which; see index.html. */
import bench from "../src/benches/psychometric";
import type { PsychometricBenchState } from "../src/generated/psychometric";
import { recorded } from "./recorded";
import scenarios from "./recorded/psychometric.json";
import { mount, recordedModel } from "./shown";

mount(bench, () => recordedModel(recorded<PsychometricBenchState>(scenarios)));
