import { useMutation } from '@tanstack/react-query'
import type { Attachment } from '../../client/contract.gen.ts'
import { retrying } from '../../client/retry.ts'
import { client } from './plumbline.ts'

const PATH = '/api/ext/attachments'

/** The most that the service takes of one file. */
export const MOST_FILE_BYTES = 25 * 1024 * 1024

/** A file takes as long as the line it is sent over; the service ends what takes it too long, usually after a minute. */
const send = retrying((...request) => fetch(...request), { retries: 1, longestWaitSeconds: 5, timeoutSeconds: 300 })

export interface Upload {
  params: { query: { recordId: string; fileName: string; shared?: boolean } }
  body: File
}

/** Attaches a file to a record. The service is sent the bytes as they are, which the queries made of the contract cannot. */
export function useUpload(options: { onSuccess(made: Attachment): void }) {
  return useMutation({
    mutationKey: ['post', PATH],
    mutationFn: async ({ params, body }: Upload) => {
      const { data, error } = await client.POST(PATH, {
        ...{ params, fetch: send, headers: { 'Content-Type': 'application/octet-stream' } },
        // The contract's types know bytes as text; what is sent is the file.
        ...{ body: body.name, bodySerializer: () => body },
      })
      if (error !== undefined) throw error
      return data
    },
    ...options,
  })
}
