// An episode in 3D: the thing as it stands, the sensor's path, and the ghost of what is believed.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Cloud, Points } from "./cloud";
import { colour, isDark, onLeave } from "./dom";
import { MeshData, ModelData, Placement } from "./episode";

/** The light: from above and below, and a key light from a side. */
const SKY = new THREE.Color(0xffffff);
const GROUND = new THREE.Color(0x888899);
const AROUND = 1.6;
const KEY = 1.8;
const FROM = new THREE.Vector3(1, 2, 3);

/** What a material is made of. */
interface Paint {
  color: string;
  transparent?: boolean;
  opacity?: number;
  size?: number;
  side?: THREE.Side;
  depthTest?: boolean;
  alphaTest?: number;
  map?: THREE.Texture;
}

export class Scene {
  readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(40, 1, 0.001, 20);
  private readonly controls: OrbitControls;
  private readonly thing = new THREE.Group();
  private readonly ghost = new THREE.Group();
  private readonly paths = new THREE.Group();
  private readonly patch = new THREE.Group();
  private readonly votes = new THREE.Group();
  private readonly goal = new THREE.Group();
  private readonly patches = new THREE.Group();
  private readonly cloud = new Cloud(dot());
  private readonly software = drawnInSoftware();
  private readonly paints = new Map<string, THREE.Material>();
  private ghostOf: ModelData | null = null;
  private waiting = false;
  frames = 0;

  constructor(private readonly box: HTMLElement) {
    // smooth edges cost a processor that draws by itself half of its frames
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.software, preserveDrawingBuffer: true });
    box.append(this.renderer.domElement);
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.tabIndex = 0;
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.soon());
    const key = new THREE.DirectionalLight(0xffffff, KEY);
    key.position.copy(FROM);
    this.scene.add(new THREE.HemisphereLight(SKY, GROUND, AROUND), key, this.thing, this.ghost, this.paths, this.cloud.group, this.patch, this.patches, this.votes, this.goal);
    // what is transparent is drawn from the thing on
    [this.thing, this.ghost, this.cloud.group, this.paths, this.patches, this.patch, this.goal, this.votes].forEach((group, order) => (group.renderOrder = order));
    const sizes = new ResizeObserver(() => this.resize());
    sizes.observe(box);
    const repaint = () => this.soon();
    addEventListener("themechange", repaint);
    onLeave(() => {
      sizes.disconnect();
      removeEventListener("themechange", repaint);
      this.controls.dispose();
      this.renderer.dispose();
      this.renderer.forceContextLoss();
    });
    this.resize();
  }

  /** The thing itself, as it stands. */
  setThing(mesh: MeshData, rotation: number[][]): void {
    dispose(this.thing);
    const corners = new Float32Array(mesh.faces.length * 9);
    mesh.faces.forEach((face, f) => face.forEach((vertex, k) => corners.set(mesh.vertices[vertex], f * 9 + k * 3)));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
    geometry.computeVertexNormals();
    this.thing.matrixAutoUpdate = false;
    this.thing.matrix.copy(matrix({ rotation, origin: [0, 0, 0] }));
    // the inner side first, then the outer one in front of it
    [THREE.BackSide, THREE.FrontSide].forEach((side, order) => {
      const lit = geometry.clone();
      lit.setAttribute("color", new THREE.BufferAttribute(inLight(mesh.colors, geometry.getAttribute("normal"), this.thing.matrix, side === THREE.FrontSide ? 1 : -1), 3));
      const sheet = new THREE.Mesh(lit, new THREE.MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.55, side, depthWrite: false }));
      sheet.renderOrder = order;
      this.thing.add(sheet);
    });
    this.frame();
  }

  /** Where each sensor was, up to now: steps × sensors × 3. */
  setPaths(sensed: (number | null)[][][], now: number, size: number, chosen: number): void {
    dispose(this.paths);
    dispose(this.patch);
    const sensors = sensed[0]?.length ?? 0;
    for (let sensor = 0; sensor < sensors; sensor++) {
      const points = sensed.slice(0, now + 1).map((step) => step[sensor]).filter((p) => p.every((v) => v !== null)).map((p) => new THREE.Vector3(...(p as number[])));
      if (!points.length) continue;
      const color = moduleTint(sensor, sensors);
      const strength = sensor === chosen ? 1 : 0.45;
      const way = new THREE.BufferGeometry().setFromPoints(points);
      const line = new THREE.Line(way, this.paint(THREE.LineBasicMaterial, { color, opacity: 0.5 * strength }));
      const dots = new THREE.Points(way, this.paint(THREE.PointsMaterial, { color, size: size * 0.09, opacity: 0.7 * strength, map: dot(), alphaTest: 0.4 }));
      const here = new THREE.Mesh(new THREE.SphereGeometry(size * 0.028, 16, 12), this.paint(THREE.MeshLambertMaterial, { color, transparent: false }));
      here.position.copy(points[points.length - 1]);
      this.paths.add(line, dots);
      this.patch.add(here);
    }
    this.soon();
  }

  /** The most likely model in its most likely pose. */
  setGhost(model: ModelData | null, placement: Placement | null, size: number): void {
    if (model !== this.ghostOf) {
      dispose(this.ghost);
      if (model) {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(model.points.flat()), 3));
        this.ghost.add(new THREE.Points(geometry));
      }
      this.ghostOf = model;
    }
    this.ghost.visible = placement !== null;
    for (const points of this.ghost.children as THREE.Points[]) {
      points.material = this.paint(THREE.PointsMaterial, { color: colour("accent"), size: size * 0.12, opacity: 0.85, map: dot(), alphaTest: 0.4 });
      points.matrixAutoUpdate = false;
      if (placement) points.matrix.copy(matrix(placement));
    }
    this.soon();
  }

  /** Hypotheses of the step. */
  setCloud(points: Points, size: number): void {
    this.cloud.set(points, size * 0.08);
    this.soon();
  }

  /** Votes: from where one module senses to where another does. */
  setVotes(arrows: { from: [number, number, number]; to: [number, number, number]; colour: string; strong: boolean }[], size: number): void {
    dispose(this.votes);
    for (const each of arrows) {
      const [from, to] = [new THREE.Vector3(...each.from), new THREE.Vector3(...each.to)];
      const along = to.clone().sub(from);
      const long = along.length();
      if (long < 1e-6) continue;
      const head = Math.min(long * 0.35, size * 0.08);
      this.votes.add(this.arrow(along.normalize(), from, long, head, head * 0.7, { color: each.colour, opacity: each.strong ? 0.95 : 0.3, depthTest: false }));
    }
    this.soon();
  }

  /** Where the motor system was asked to look: a ring on the surface, and the way to look at it. */
  setGoal(place: [number, number, number] | null, normal: [number, number, number] | null, size: number): void {
    dispose(this.goal);
    if (place && normal) {
      const color = colour("found");
      const ring = new THREE.Mesh(new THREE.RingGeometry(size * 0.055, size * 0.075, 32), this.paint(THREE.MeshBasicMaterial, { color, side: THREE.DoubleSide, depthTest: false }));
      const up = new THREE.Vector3(...normal).normalize();
      ring.position.set(...place);
      ring.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
      const start = new THREE.Vector3(...place).add(up.clone().multiplyScalar(size * 0.35));
      this.goal.add(ring, this.arrow(up.clone().negate(), start, size * 0.33, size * 0.06, size * 0.04, { color }));
    }
    this.soon();
  }

  /** The patches that sensors feel: a disc on the surface, and the line to the sensor. */
  setPatches(patches: { at: [number, number, number]; normal: [number, number, number]; sensor: [number, number, number] | null; colour: string }[], size: number): void {
    dispose(this.patches);
    for (const each of patches) {
      const color = each.colour;
      const disc = new THREE.Mesh(new THREE.CircleGeometry(size * 0.04, 24), this.paint(THREE.MeshBasicMaterial, { color, side: THREE.DoubleSide, opacity: 0.8 }));
      const normal = new THREE.Vector3(...each.normal).normalize();
      disc.position.set(...each.at);
      disc.position.addScaledVector(normal, size * 0.005);
      disc.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      this.patches.add(disc);
      if (each.sensor) {
        const line = new THREE.BufferGeometry().setFromPoints([disc.position, new THREE.Vector3(...each.sensor)]);
        this.patches.add(new THREE.Line(line, this.paint(THREE.LineBasicMaterial, { color, opacity: 0.35 })));
      }
    }
    this.soon();
  }

  /** A material, made once for all steps: one that is made anew has its shaders compiled anew, 100 ms in software. */
  private paint<M extends THREE.Material>(kind: new (about: Paint) => M, about: Paint): M {
    const name = `${kind.name} ${JSON.stringify({ ...about, map: undefined })}`;
    let found = this.paints.get(name);
    if (!found) this.paints.set(name, (found = new kind({ transparent: true, ...about })));
    return found as M;
  }

  private arrow(along: THREE.Vector3, from: THREE.Vector3, long: number, head: number, wide: number, about: Paint): THREE.ArrowHelper {
    const arrow = new THREE.ArrowHelper(along, from, long, undefined, head, wide);
    arrow.line.material = this.paint(THREE.LineBasicMaterial, about);
    arrow.cone.material = this.paint(THREE.MeshBasicMaterial, about);
    return arrow;
  }

  /** Look at another scene's thing from where that one is looked at. */
  follow(other: Scene): void {
    let busy = false;
    const link = (from: Scene, to: Scene) => from.controls.addEventListener("change", () => {
      if (busy) return;
      busy = true;
      to.camera.position.copy(from.camera.position);
      to.controls.target.copy(from.controls.target);
      to.controls.update();
      to.soon();
      busy = false;
    });
    link(this, other);
    link(other, this);
  }

  /** The camera where all of the thing is seen. */
  frame(): void {
    this.thing.updateMatrixWorld(true);
    const around = new THREE.Box3().setFromObject(this.thing);
    const ball = around.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 0.1) : around.getBoundingSphere(new THREE.Sphere());
    this.controls.target.copy(ball.center);
    this.camera.position.copy(ball.center).add(new THREE.Vector3(0.5, 0.45, 1).setLength(ball.radius * 2.5));
    this.camera.near = ball.radius / 100;
    this.camera.far = ball.radius * 100;
    this.controls.update();
    this.resize();
  }

  private resize(): void {
    const [width, height] = [Math.max(1, this.box.clientWidth), Math.max(1, this.box.clientHeight)];
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.soon();
  }

  private soon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.renderer.setClearColor(new THREE.Color(isDark() ? "#14171b" : "#ffffff"), 1);
      const start = performance.now();
      this.renderer.render(this.scene, this.camera);
      this.frames++;
      this.renderer.domElement.dataset.frames = String(this.frames);
      this.renderer.domElement.dataset.within = String(this.cloud.drawn);
      this.renderer.domElement.dataset.milliseconds = (performance.now() - start).toFixed(1);
    });
  }
}

/** Colours of faces (F × 3) as Lambert's law lights them, for each corner. The thing stands still under the light, so this is computed once and not at each of its pixels in each picture. */
function inLight(colours: number[][], normals: THREE.BufferAttribute | THREE.InterleavedBufferAttribute, turn: THREE.Matrix4, side: 1 | -1): Float32Array {
  const found = new Float32Array(colours.length * 9);
  const [normal, light, from] = [new THREE.Vector3(), new THREE.Color(), FROM.clone().normalize()];
  colours.forEach((rgb, face) => {
    normal.fromBufferAttribute(normals, face * 3).transformDirection(turn).multiplyScalar(side);
    light.copy(GROUND).lerp(SKY, 0.5 + 0.5 * normal.y).multiplyScalar(AROUND);
    const key = KEY * Math.max(0, normal.dot(from));
    const lit = [light.r, light.g, light.b].map((part, k) => (rgb[k] * (part + key)) / Math.PI);
    for (let corner = 0; corner < 3; corner++) found.set(lit, face * 9 + corner * 3);
  });
  return found;
}

function drawnInSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context && info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** Each module's own colour. */
export function moduleTint(module: number, modules: number): string {
  return modules > 1 ? `hsl(${(module * 67 + 20) % 360}, 75%, 50%)` : colour("removed");
}

let round: THREE.CanvasTexture | null = null;

/** Points are discs, not squares. */
function dot(): THREE.CanvasTexture {
  if (!round) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 32;
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.fillStyle = "#fff";
    context.beginPath();
    context.arc(16, 16, 15, 0, 7);
    context.fill();
    round = new THREE.CanvasTexture(canvas);
  }
  return round;
}

function matrix({ rotation, origin }: Placement): THREE.Matrix4 {
  const [a, b, c] = rotation;
  return new THREE.Matrix4().set(a[0], a[1], a[2], origin[0], b[0], b[1], b[2], origin[1], c[0], c[1], c[2], origin[2], 0, 0, 0, 1);
}

function dispose(group: THREE.Group): void {
  for (const child of [...group.children]) {
    child.traverse((part) => {
      const held = part as THREE.Mesh;
      held.geometry?.dispose();
    });
    group.remove(child);
  }
}
