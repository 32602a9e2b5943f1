import { expect, test, vi } from 'vitest'

test('if the image library is not available, an image request returns the status no_library', async () => {
  vi.doMock('sharp', () => {
    throw new Error('Could not load the "sharp" module using the linux-riscv64 runtime')
  })
  const { handleImageRequest } = await import('./encode-image.ts')
  expect(await handleImageRequest({ bytes: new Uint8Array(1), maxPixels: 320 })).toEqual({ status: 'no_library' })
})
