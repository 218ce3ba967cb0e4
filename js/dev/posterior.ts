/** The dev page of the posterior bench; the address chooses what is shown: posterior.html. */
import bench from "../src/benches/posterior";
import type { PosteriorBenchState } from "../src/generated/posterior";
import { recorded } from "./recorded";
import scenarios from "./recorded/posterior.json";
import { mount, recordedModel } from "./shown";

mount(bench, () => recordedModel(recorded<PosteriorBenchState>(scenarios)));
