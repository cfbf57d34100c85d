// An episode in 3D: the thing as it stands, the sensor's path, and the ghost of what is believed.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { colour, isDark, onLeave } from "./dom";

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

export class Scene {
  readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(40, 1, 0.001, 20);
  private readonly controls: OrbitControls;
  private readonly thing = new THREE.Group();
  private readonly ghost = new THREE.Group();
  private readonly paths = new THREE.Group();
  private readonly cloud = new THREE.Group();
  private readonly patch = new THREE.Group();
  private waiting = false;
  frames = 0;

  constructor(private readonly box: HTMLElement) {
    // smooth edges cost a processor that draws by itself half of its frames
    this.renderer = new THREE.WebGLRenderer({ antialias: !drawnInSoftware(), preserveDrawingBuffer: true });
    box.append(this.renderer.domElement);
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.tabIndex = 0;
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.soon());
    const key = new THREE.DirectionalLight(0xffffff, 1.8);
    key.position.set(1, 2, 3);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x888899, 1.6), key, this.thing, this.ghost, this.paths, this.cloud, this.patch);
    // what is transparent is drawn from the thing on
    [this.thing, this.ghost, this.cloud, this.paths, this.patch].forEach((group, order) => (group.renderOrder = order));
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
    this.thing.clear();
    const corners = new Float32Array(mesh.faces.length * 9);
    const paint = new Float32Array(mesh.faces.length * 9);
    mesh.faces.forEach((face, f) =>
      face.forEach((vertex, k) => {
        corners.set(mesh.vertices[vertex], f * 9 + k * 3);
        paint.set(mesh.colors[f], f * 9 + k * 3);
      }));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(paint, 3));
    geometry.computeVertexNormals();
    const material = new THREE.MeshLambertMaterial({ vertexColors: true, transparent: true, opacity: 0.55, side: THREE.DoubleSide, depthWrite: false });
    this.thing.add(new THREE.Mesh(geometry, material));
    this.thing.matrixAutoUpdate = false;
    this.thing.matrix.copy(matrix({ rotation, origin: [0, 0, 0] }));
    this.frame();
  }

  /** Where each sensor was, up to now: steps × sensors × 3. */
  setPaths(sensed: (number | null)[][][], now: number, size: number): void {
    dispose(this.paths);
    dispose(this.patch);
    const sensors = sensed[0]?.length ?? 0;
    for (let sensor = 0; sensor < sensors; sensor++) {
      const points = sensed.slice(0, now + 1).map((step) => step[sensor]).filter((p) => p.every((v) => v !== null)).map((p) => new THREE.Vector3(...(p as number[])));
      if (!points.length) continue;
      const tint = new THREE.Color(sensors > 1 ? `hsl(${(sensor * 67 + 20) % 360}, 75%, 50%)` : colour("removed"));
      const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial({ color: tint, transparent: true, opacity: 0.5 }));
      const dots = new THREE.Points(new THREE.BufferGeometry().setFromPoints(points), new THREE.PointsMaterial({ color: tint, size: size * 0.09, transparent: true, opacity: 0.7, map: dot(), alphaTest: 0.4 }));
      const here = new THREE.Mesh(new THREE.SphereGeometry(size * 0.028, 16, 12), new THREE.MeshLambertMaterial({ color: tint }));
      here.position.copy(points[points.length - 1]);
      this.paths.add(line, dots);
      this.patch.add(here);
    }
    this.soon();
  }

  /** The most likely model in its most likely pose. */
  setGhost(model: ModelData | null, placement: Placement | null, size: number): void {
    dispose(this.ghost);
    if (model && placement) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(model.points.flat()), 3));
      const material = new THREE.PointsMaterial({ color: new THREE.Color(colour("accent")), size: size * 0.12, transparent: true, opacity: 0.85, map: dot(), alphaTest: 0.4 });
      const points = new THREE.Points(geometry, material);
      points.matrixAutoUpdate = false;
      points.matrix.copy(matrix(placement));
      this.ghost.add(points);
    }
    this.soon();
  }

  /** Hypotheses as points coloured by evidence, 0..1. */
  setCloud(places: Float32Array, evidence: Float32Array, size: number): void {
    dispose(this.cloud);
    if (evidence.length) {
      const colours = new Float32Array(evidence.length * 3);
      const tint = new THREE.Color();
      for (let n = 0; n < evidence.length; n++) tint.setHSL(0.62 - 0.56 * evidence[n], 0.85, 0.5).toArray(colours, n * 3);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
      geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
      this.cloud.add(new THREE.Points(geometry, new THREE.PointsMaterial({ vertexColors: true, size: size * 0.08, transparent: true, opacity: 0.85, map: dot(), alphaTest: 0.4 })));
    }
    this.soon();
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
    this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
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
      this.renderer.domElement.dataset.milliseconds = (performance.now() - start).toFixed(1);
    });
  }
}

function drawnInSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context && info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
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
    const held = child as THREE.Mesh;
    held.geometry?.dispose();
    (held.material as THREE.Material | undefined)?.dispose();
    group.remove(child);
  }
}
