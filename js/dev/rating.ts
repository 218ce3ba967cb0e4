/** The dev page of the rating bench; the address chooses what is shown: rating.html. */
import bench from "../src/benches/rating";
import type { RatingBenchState } from "../src/generated/rating";
import { recorded } from "./recorded";
import scenarios from "./recorded/rating.json";
import { mount, recordedModel } from "./shown";

mount(bench, () => recordedModel(recorded<RatingBenchState>(scenarios)));
