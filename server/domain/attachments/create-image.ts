import type { Attachment } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { createImageResponse, type FileResponse } from '../../platform/calls/file-response.ts'
import { conflict, notFound } from '../../platform/problems/problem.ts'
import { setLatestEntry } from '../../platform/values/set-latest-entry.ts'
import { createContentOpener } from './download-file.ts'
import { processImage } from './image-thread.ts'

/** The maximum width and height in pixels. */
const MAX_PIXELS = { thumb: 320, screen: 1600 } as const
export type ImageSize = keyof typeof MAX_PIXELS

/**
 * The types of images that the library can decode. HEIC is not included, because its decoders are patented. Phones
 * convert their photos if a page accepts only other types.
 */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/tiff'])

/** The most recently used thumbnails, by attachment. A page with photos requests many thumbnails at once. */
const cachedThumbnails = new Map<string, Buffer>()

/** The cache uses at most 16 MB. A thumbnail usually takes about 15 kB. */
const MAX_CACHED = 512
const MAX_CACHED_BYTES = 32 * 1024

/** Returns an image that browsers can display. Throws `conflict` if the file is not an image. */
export async function createImage(call: Call, attachment: Attachment, size: ImageSize): Promise<FileResponse> {
  const { id, contentType, archivedAt } = attachment
  if (archivedAt !== null) throw notFound()
  const name = `${attachment.fileName.replace(/\.[^.]*$/, '')}.webp`
  const cached = size === 'thumb' ? cachedThumbnails.get(id) : undefined
  if (cached !== undefined) return createImageResponse(name, 'image/webp', cached)
  if (!IMAGE_TYPES.has(contentType)) throw notDisplayable(attachment, 'it is not a JPEG, PNG, WebP, GIF or TIFF image')
  const open = await createContentOpener(call, id)
  const image = await processImage(call.organizationId, () => open(null), MAX_PIXELS[size])
  if (image.status === 'no_library')
    throw conflict(
      'not_available',
      'Cannot display images: this deployment has no image library for its platform. Download the file instead.',
    )
  if (image.status !== 'encoded') throw notDisplayable(attachment, 'it is damaged or too large')
  const bytes = Buffer.from(image.bytes)
  if (size === 'thumb' && bytes.length <= MAX_CACHED_BYTES) setLatestEntry(cachedThumbnails, id, bytes, MAX_CACHED)
  return createImageResponse(name, 'image/webp', bytes)
}

export function isImageType(contentType: string): boolean {
  return contentType.startsWith('image/')
}

/** Returns the width and height of an image in pixels; both are null if the image cannot be read. */
export async function measureImage(
  { organizationId }: Call,
  contentType: string,
  open: Parameters<typeof processImage>[1],
): Promise<{ width: number | null; height: number | null }> {
  if (!IMAGE_TYPES.has(contentType)) return { width: null, height: null }
  const image = await processImage(organizationId, open, null)
  return image.status === 'measured' ? { width: image.width, height: image.height } : { width: null, height: null }
}

function notDisplayable({ fileName }: Attachment, reason: string) {
  return conflict('not_suitable', `Cannot display ${fileName} as an image: ${reason}. Download the file instead.`)
}
