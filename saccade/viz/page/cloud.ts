// Hypotheses as points. A few are discs that WebGL draws. Many are set pixel by pixel here and handed over as one
// image with depths: a processor that runs shaders takes 3 µs for each point that WebGL is given (SwiftShader on
// Cascade Lake, half a second for 154,000), and 0.1 µs for one set by this loop. Every one is drawn, at rest and while
// it moves.

import * as THREE from "three";

/** More hypotheses than this are squares of an image. */
const MANY = 8000;
/** Bytes of a pixel: colour, then depth (float32; 0 where nothing is). */
const PIXEL = 8;

const VERTEX = `void main() {
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;
const FRAGMENT = `uniform highp usampler2D image;
uniform highp float scale;
void main() {
  highp uvec2 pixel = texelFetch(image, ivec2(gl_FragCoord.xy * scale), 0).rg;
  if (pixel.g == 0u) discard;
  gl_FragDepth = uintBitsToFloat(pixel.g);
  gl_FragColor = vec4(uvec4(pixel.r, pixel.r >> 8u, pixel.r >> 16u, 255u) & 255u) / 255.0;
}`;

/** Points (N × 3) and the colour of each (RGBA, red in the lowest byte). */
export interface Points {
  places: Float32Array;
  shades: Uint32Array;
}

/**
 * Set each point as a square of 2 × 2 pixels, the nearest in front; returns how many lie within the picture.
 * `clip` is the matrix (column by column) from a place to clip space; `image` and `depths` are two views of the
 * same bytes, width × height × PIXEL, bottom row first.
 */
function splat({ places, shades }: Points, clip: number[], width: number, height: number, image: Uint32Array, depths: Float32Array): number {
  const [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = clip;
  let seen = 0;
  image.fill(0);
  for (let point = 0; point < shades.length; point++) {
    const x = places[3 * point];
    const y = places[3 * point + 1];
    const z = places[3 * point + 2];
    const half = 0.5 / (d * x + h * y + l * z + p);
    const across = (0.5 + half * (a * x + e * y + i * z + m)) * width;
    const up = (0.5 + half * (b * x + f * y + j * z + n)) * height;
    const depth = 0.5 + half * (c * x + g * y + k * z + o);
    if (!(half > 0 && depth > 0 && depth < 1 && across >= 0 && across < width && up >= 0 && up < height)) continue;
    seen++;
    const left = Math.min(Math.max(0, Math.floor(across - 0.5)), width - 2);
    const low = Math.min(Math.max(0, Math.floor(up - 0.5)), height - 2);
    const first = 2 * (low * width + left);
    for (let corner = 0; corner < 4; corner++) {
      const pixel = first + 2 * (corner & 1) + (corner & 2) * width;
      const before = depths[pixel + 1];
      if (before !== 0 && before <= depth) continue;
      image[pixel] = shades[point];
      depths[pixel + 1] = depth;
    }
  }
  return seen;
}

/** The points of one step; add `group` to a scene. */
export class Cloud {
  readonly group = new THREE.Group();
  private readonly discs: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private readonly sheet: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private points: Points = { places: new Float32Array(0), shades: new Uint32Array(0) };
  private texture = new THREE.DataTexture(new Uint32Array(0), 0, 0);
  /** hypotheses within the last picture */
  drawn = 0;

  constructor(dot: THREE.Texture) {
    this.discs = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ vertexColors: true, transparent: true, opacity: 0.85, map: dot, alphaTest: 0.4 }));
    const material = new THREE.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { image: { value: null }, scale: { value: 1 } } });
    this.sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.discs.frustumCulled = this.sheet.frustumCulled = false;
    this.sheet.onBeforeRender = (renderer, _scene, camera) => this.paint(renderer, camera);
    this.group.add(this.discs, this.sheet);
    this.set(this.points, 1);
  }

  /** Show these instead of those before. `size` is that of a disc, in metres. */
  set(points: Points, size: number): void {
    this.points = points;
    this.drawn = points.shades.length;
    const count = points.shades.length;
    this.sheet.visible = count > MANY;
    this.discs.visible = count > 0 && !this.sheet.visible;
    if (!this.discs.visible) return;
    this.discs.geometry.dispose();
    this.discs.geometry = new THREE.BufferGeometry();
    this.discs.geometry.setAttribute("position", new THREE.BufferAttribute(points.places, 3));
    this.discs.geometry.setAttribute("color", new THREE.BufferAttribute(new Uint8Array(points.shades.buffer), 4, true));
    this.discs.material.size = size;
  }

  /** The image of many points as a camera sees them, at the page's resolution. */
  private paint(renderer: THREE.WebGLRenderer, camera: THREE.Camera): void {
    const { width, height } = renderer.getSize(new THREE.Vector2());
    if (this.texture.image.width !== width || this.texture.image.height !== height) {
      this.texture.dispose();
      this.texture = new THREE.DataTexture(new Uint32Array((width * height * PIXEL) / 4), width, height, THREE.RGIntegerFormat, THREE.UnsignedIntType);
    }
    const image = this.texture.image.data as Uint32Array<ArrayBuffer>;
    const clip = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    this.drawn = splat(this.points, clip.toArray(), width, height, image, new Float32Array(image.buffer));
    this.texture.needsUpdate = true;
    this.sheet.material.uniforms.image.value = this.texture;
    this.sheet.material.uniforms.scale.value = 1 / renderer.getPixelRatio();
    this.sheet.material.uniformsNeedUpdate = true;
  }
}
