import type { Photo } from './actions.ts'

/**
 * The maximum width and height of a photo that is sent, in pixels. The service displays at most 1,600 pixels in each
 * direction.
 */
const MAX_PIXELS = 2048
const QUALITY = 0.85

/** Returns a photo that is ready to be sent. The photo is smaller than the original and has no metadata from the camera. */
export async function preparePhoto(file: File): Promise<Photo> {
  const takenAt = new Date().toISOString()
  const blob = (await shrink(file).catch(() => null)) ?? file
  return { bytes: await blob.arrayBuffer(), type: blob.type, takenAt }
}

/** Returns a picture that was drawn on the phone, ready to be sent. */
export async function toPhoto(picture: Blob): Promise<Photo> {
  return { bytes: await picture.arrayBuffer(), type: picture.type, takenAt: new Date().toISOString() }
}

/** Returns a smaller JPEG; null if the browser cannot read the image. */
async function shrink(file: File): Promise<Blob | null> {
  const picture = await createImageBitmap(file)
  const scale = Math.min(1, MAX_PIXELS / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(picture.width * scale)
  canvas.height = Math.round(picture.height * scale)
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  return new Promise((done) => canvas.toBlob(done, 'image/jpeg', QUALITY))
}
