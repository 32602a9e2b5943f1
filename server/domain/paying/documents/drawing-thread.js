// @ts-check
// In JavaScript, like server/main.js: what Node compiles is kept from the first TypeScript file on.
import { parentPort } from 'node:worker_threads'
import { enableCompilationCache } from '../../../platform/runtime/compile-cache.js'

enableCompilationCache()
const { TooManyPagesError } = await import('./pdf.ts')

// The parent process sends one request at a time. An error that is thrown here ends the thread and fails the request.
parentPort?.on('message', async ({ module, sheet }) => {
  const { drawDocument } = await import(module)
  try {
    parentPort?.postMessage({ bytes: await drawDocument(JSON.parse(sheet)) })
  } catch (error) {
    if (!(error instanceof TooManyPagesError)) throw error
    parentPort?.postMessage({ tooManyPages: error.most })
  }
})
