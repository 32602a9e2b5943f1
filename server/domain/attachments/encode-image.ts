import type { Sharp } from 'sharp'

/** A request to the image thread. If `maxPixels` is null, the thread only measures the image. */
export interface ImageRequest {
  bytes: Uint8Array
  /** The maximum width and height in pixels. */
  maxPixels: number | null
}

/** The result is `unreadable` if the library cannot read the file as an image, or if the image has too many pixels. */
export type ImageResult =
  | { status: 'measured'; width: number; height: number }
  | { status: 'encoded'; bytes: Uint8Array }
  | { status: 'unreadable' }
  | { status: 'no_library' }

/** A manipulated file can claim any size. The limit is four times the number of pixels of a good camera. */
const MAX_INPUT_PIXELS = 50_000_000

/** Measures or encodes an image. Called in the image thread. */
export async function handleImageRequest({ bytes, maxPixels }: ImageRequest): Promise<ImageResult> {
  const sharp = await loadSharp()
  if (sharp === null) return { status: 'no_library' }
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error' })
    return maxPixels === null ? await measure(image) : await encode(image, maxPixels)
  } catch {
    // The library throws plain errors for all problems with a file.
    return { status: 'unreadable' }
  }
}

/** Returns the library; null if it is not available for this platform. */
async function loadSharp() {
  try {
    const { default: sharp } = await import('sharp')
    // Use only one core, because the machine must also serve requests.
    sharp.concurrency(1)
    sharp.cache(false)
    return sharp
  } catch {
    return null
  }
}

async function measure(image: Sharp): Promise<ImageResult> {
  const { autoOrient } = await image.metadata()
  return { status: 'measured', width: autoOrient.width, height: autoOrient.height }
}

async function encode(image: Sharp, maxPixels: number): Promise<ImageResult> {
  const bytes = await image
    .autoOrient()
    .resize({ width: maxPixels, height: maxPixels, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 78 })
    .toBuffer()
  return { status: 'encoded', bytes }
}
