// @ts-check
// In JavaScript, like server/main.js: what Node compiles is kept from the first TypeScript file on.
import { parentPort } from 'node:worker_threads'
import { enableCompilationCache } from '../../platform/runtime/compile-cache.js'

enableCompilationCache()
const { handleImageRequest } = await import('./encode-image.ts')

// The parent process sends one request at a time. An error that is thrown here ends the thread and fails the request.
parentPort?.on('message', async (request) => {
  parentPort?.postMessage(await handleImageRequest(request))
})
