// @ts-check
// In JavaScript, like server/main.js: what Node compiles is kept from the first TypeScript file on.
import { parentPort } from 'node:worker_threads'
import { keepCompiled } from '../../../platform/runtime/compile-cache.js'

keepCompiled()
const { TooManyPages } = await import('./pdf.ts')

// Requests arrive one at a time. An error that is thrown here ends the thread, and the request fails with it.
parentPort?.on('message', async ({ module, sheet }) => {
  const { draw } = await import(module)
  try {
    parentPort?.postMessage({ bytes: await draw(JSON.parse(sheet)) })
  } catch (error) {
    if (!(error instanceof TooManyPages)) throw error
    parentPort?.postMessage({ tooManyPages: error.most })
  }
})
