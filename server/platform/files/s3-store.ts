import { openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { S3mini } from 's3mini'
import { Problem } from '../problems/problem.ts'
import { createMissingContentProblem, type FileStore, StoreUnusableError } from './file-store.ts'

/** A bucket in S3 or a compatible store. */
export interface Bucket {
  /** The URL whose path is the bucket, such as https://s3.eu-central-1.amazonaws.com/harrow-finch */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/**
 * The maximum time in milliseconds until the store has received a request and begins its response, and for a pause
 * within the response. The time for which a slow client downloads does not count.
 */
const STORE_TIMEOUT_MS = 30_000
const KEYS_PER_LISTING = 1000

/** Returns a file store in a bucket. The keys are the same as in a store on a disk. */
export function createS3Store({ url, ...access }: Bucket, timeoutMs: number = STORE_TIMEOUT_MS): FileStore {
  const s3 = new S3mini({
    ...access,
    endpoint: url,
    fetch: (input, init) => fetchWithin(timeoutMs, input, init),
  })
  return {
    async put(key, path) {
      // Stream the file from the disk while it is sent.
      const file = await openAsBlob(path)
      const stored = await findObject(() =>
        s3.putObject(key, file, 'application/octet-stream', undefined, undefined, file.size),
      )
      if (stored === null) throw storeUnavailable(new Error(`No bucket exists at ${url}.`))
      await rm(path, { force: true })
    },

    async open(key, range) {
      const answer = await findObject(() =>
        range === null ? s3.getObjectRaw(key) : s3.getObjectRaw(key, false, range.first, range.last + 1),
      )
      if (answer === null || answer.body === null) throw createMissingContentProblem()
      return Readable.fromWeb(answer.body as ReadableStream)
    },

    async remove(key) {
      await findObject(() => s3.deleteObject(key))
    },

    async removeAll(organizationId) {
      for (;;) {
        const page = await findObject(() => s3.listObjectsPaged('/', `${organizationId}/`, KEYS_PER_LISTING))
        const keys = (page?.objects ?? []).map(({ Key }) => Key)
        if (keys.length === 0) return
        const gone = (await findObject(() => s3.deleteObjects(keys))) ?? []
        if (!gone.every(Boolean)) throw storeUnavailable(new Error('The file store did not delete all objects.'))
      }
    },

    isLocal: false,

    async check() {
      // The error response to listing a bucket contains a text that states whether the bucket or the access key is
      // wrong.
      const page = await s3.listObjectsPaged('/', 'check/', 1).catch((error: unknown) => {
        const { status } = error as { status?: unknown }
        if (status === 404) return null
        if (status !== 401 && status !== 403) throw storeUnavailable(error)
        throw new StoreUnusableError(
          `The bucket at ${url} rejected FILES_S3_ACCESS_KEY_ID (status ${status}). Check the key and its permissions.`,
        )
      })
      if (page === null || page === undefined)
        throw new StoreUnusableError(`No bucket exists at ${url}. Create it, or correct FILES_S3_URL.`)
    },
  }
}

/** Like fetch, but rejects if the store does not respond for this time, or pauses for this time within its response. */
async function fetchWithin(timeoutMs: number, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const abort = new AbortController()
  const within = async <T>(waiting: Promise<T>): Promise<T> => {
    const timer = setTimeout(
      () => abort.abort(new Error(`The file store did not respond for ${timeoutMs} ms.`)),
      timeoutMs,
    )
    return waiting.finally(() => clearTimeout(timer))
  }
  const response = await within(fetch(input, { ...init, signal: abort.signal }))
  if (response.body === null) return response
  const reader = response.body.getReader()
  const body = new ReadableStream({
    async pull(controller) {
      const { done, value } = await within(reader.read())
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, response)
}

/** Returns the result of a request; null if the object does not exist. Throws `unavailable` if the bucket fails. */
async function findObject<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if ((error as { status?: unknown }).status === 404) return null
    throw storeUnavailable(error)
  }
}

function storeUnavailable(cause: unknown): Problem {
  const problem = new Problem(
    'unavailable',
    'The file store is not responding. Try again in 5 seconds.',
    {},
    { 'Retry-After': '5' },
  )
  // The cause is only for the log, because callers must not learn anything about the bucket.
  problem.cause = cause
  return problem
}
