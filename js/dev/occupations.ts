/** The dev page of the occupations bench; the address chooses what is shown: occupations.html. */
import bench from "../src/benches/occupations";
import type { OccupationsBenchState } from "../src/generated/occupations";
import { recorded } from "./recorded";
import scenarios from "./recorded/occupations.json";
import { mount, recordedModel } from "./shown";

mount(bench, () => recordedModel(recorded<OccupationsBenchState>(scenarios)));
