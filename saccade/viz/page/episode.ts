// An episode as the server tells it, and what is asked for step by step: hypotheses, patches, models, meshes.

import { ask, bytesOf, view } from "./api";

export interface ListedEpisode {
  id: string;
  object: string;
  detected: string;
  ending: string;
  correct: boolean;
  steps: number;
  rotation_error: number | null;
  traced: boolean;
}

export interface EpisodeList {
  episodes: ListedEpisode[];
  latest: string;
  complete: boolean;
}

type Maybe = number | null;

/** A vote of one module to another: does it place the receiver where the receiver believes to be? */
export interface Vote {
  from: number;
  to: number;
  object: number;
  off: Maybe;
  agrees: boolean;
}

export interface Decision {
  step: number;
  module: number;
  ending: string;
  object: number;
}

/** Arrays of steps; those that begin with `module_` have the modules next. */
export interface Episode extends ListedEpisode {
  rotation: number[][];
  objects: string[];
  modules: string[];
  /** the first module whose reports are judged: those below it speak of parts */
  judged: number;
  sensors: number[];
  steps_traced: number;
  sensed: Maybe[][][];
  evidence_of: number[];
  module_evidence: Maybe[][][];
  module_best: number[][];
  module_location: Maybe[][][];
  module_rotation: Maybe[][][][];
  module_hypotheses: number[][];
  module_possible: number[][];
  module_processed: boolean[][];
  goal_location: Maybe[][];
  goal_normal: Maybe[][];
  goal_sender: number[];
  sensor_position: Maybe[][][];
  felt_location?: Maybe[][][];
  felt_pose?: Maybe[][][][];
  second_object?: number[][];
  second_location?: Maybe[][][];
  second_rotation?: Maybe[][][][];
  decisions: Decision[];
  votes: Vote[][];
  cloud: number[][] | null;
  second: boolean;
}

export interface MeshData {
  vertices: number[][];
  faces: number[][];
  colors: number[][];
}

export interface ModelData {
  points: number[][];
  hsv: number[][] | null;
}

/** A rotation (rows) and a translation: world = rotation · point + origin. */
export interface Placement {
  rotation: number[][];
  origin: number[];
}

/** Hypotheses of a step and module: where on the object as it stands, how strong, of which object. */
export interface Cloud {
  places: Float32Array;
  evidence: Float32Array;
  objects: Int16Array;
}

export const NO_CLOUD: Cloud = { places: new Float32Array(0), evidence: new Float32Array(0), objects: new Int16Array(0) };

export function listEpisodes(key: string): Promise<EpisodeList> {
  return ask<EpisodeList>(`api/${encodeURIComponent(key)}/episodes`);
}

export async function cloudOf(key: string, episode: Episode, step: number, module: number): Promise<Cloud> {
  if (!episode.cloud?.[step]?.[module]) return NO_CLOUD;
  const data = await bytesOf(key, "cloud", { id: episode.id, step, module });
  const count = new DataView(data).getInt32(0, true);
  return {
    places: new Float32Array(data, 4, count * 3),
    evidence: new Float32Array(data, 4 + count * 12, count),
    objects: new Int16Array(data, 4 + count * 16, count),
  };
}

/** Ask for the hypotheses of a step that is likely to be shown next. Where that fails, it is told when the step is shown. */
export function expectCloud(key: string, episode: Episode, step: number, module: number): void {
  cloudOf(key, episode, step, module).catch(() => {});
}

/** Colours of what each sensor saw at each step. */
export interface Patches {
  sensors: number;
  pixels: number;
  at(step: number, sensor: number): Uint8Array;
}

export async function patchesOf(key: string, episode: Episode): Promise<Patches> {
  const data = await bytesOf(key, "patches", { id: episode.id });
  const [, sensors, pixels] = new Int32Array(data, 0, 3);
  const size = pixels * pixels * 3;
  return { sensors, pixels, at: (step, sensor) => new Uint8Array(data, 12 + (step * sensors + sensor) * size, size) };
}

const models = new Map<string, Promise<ModelData | null>>();

/** The points that a module learned of an object; nothing where it has none. */
export function modelOf(key: string, object: string, module: number): Promise<ModelData | null> {
  const name = `${key} ${module} ${object}`;
  let found = models.get(name);
  if (!found) models.set(name, (found = view<ModelData>(key, "model", { object, module }).catch(() => null)));
  if (models.size > 64) models.delete(models.keys().next().value as string);
  return found;
}

/** Where the model of a hypothesis lies: what is sensed is at the hypothesis' location on it. */
export function placed(turn: Maybe[][], location: Maybe[], sensed: Maybe[]): Placement | null {
  if ([...turn.flat(), ...location, ...sensed].some((value) => value === null)) return null;
  const rotation = [0, 1, 2].map((i) => [0, 1, 2].map((j) => turn[j][i] as number));
  const origin = rotation.map((row, i) => (sensed[i] as number) - row.reduce((sum, value, j) => sum + value * (location[j] as number), 0));
  return { rotation, origin };
}

/** What a module believes at a step: its best hypothesis, or the best of the second object. */
export function belief(episode: Episode, step: number, module: number, second: boolean): { object: number; placement: Placement | null } {
  const [objects, locations, turns] = second
    ? [episode.second_object, episode.second_location, episode.second_rotation]
    : [episode.module_best, episode.module_location, episode.module_rotation];
  const object = objects?.[step]?.[module] ?? -1;
  if (object < 0 || !locations || !turns) return { object: -1, placement: null };
  return { object, placement: placed(turns[step][module], locations[step][module], episode.sensed[step][module]) };
}

export function point(values: Maybe[] | undefined): [number, number, number] | null {
  return values && values.length === 3 && values.every((value) => value !== null) ? (values as [number, number, number]) : null;
}
