import { useMutation } from '@tanstack/react-query'
import type { Attachment } from '../../client/contract.gen.ts'
import { createRetryingSend } from '../../client/retry.ts'
import { client } from './plumbline.ts'
import { createRepeatAfterSignIn } from './repeat-after-sign-in.ts'

const UPLOAD_PATH = '/api/ext/attachments'

/** The maximum size of one file that the service accepts, in bytes. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024

/**
 * The time limit for an upload, which depends on the connection. The service itself ends requests that take too long,
 * usually after a minute.
 */
const sendUpload = createRepeatAfterSignIn(
  createRetryingSend((...request) => fetch(...request), {
    retries: 1,
    longestWaitSeconds: 5,
    timeoutSeconds: 300,
  }),
)

export interface Upload {
  params: { query: { recordId: string; fileName: string; shared?: boolean } }
  body: File
}

/**
 * Attaches a file to a record. The body of the request is the file's bytes, which the queries generated from the
 * contract cannot send.
 */
export function useUpload(options: { onSuccess(created: Attachment): void }) {
  return useMutation({
    mutationKey: ['post', UPLOAD_PATH],
    mutationFn: async ({ params, body }: Upload) => {
      const { data, error } = await client.POST(UPLOAD_PATH, {
        ...{ params, fetch: sendUpload, headers: { 'Content-Type': 'application/octet-stream' } },
        // In the contract's types, bytes are text. Here, the body is the file itself.
        ...{ body: body.name, bodySerializer: () => body },
      })
      if (error !== undefined) throw error
      return data
    },
    ...options,
  })
}
