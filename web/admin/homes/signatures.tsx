import type { Attachment } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { root } from '../../api/plumbline.ts'

/** The newest signatures of a home. Older ones are in the export. */
const MAX_SIGNATURES = 200
const NONE: readonly Attachment[] = []

/** Returns the signatures that were drawn for the records of a home. */
export function useSignatures(homeId: string): readonly Attachment[] {
  const query = { homeId, kind: 'signature', limit: MAX_SIGNATURES, sort: '-createdAt' } as const
  return useListPage('/api/ext/attachments', query).data?.data ?? NONE
}

/** Shows the drawn signatures of a record. */
export function Signatures({ files, recordId }: { files: readonly Attachment[]; recordId: string }) {
  return files
    .filter((file) => file.recordId === recordId)
    .map(({ id, caption, fileName }) => (
      <img
        key={id}
        className="signature"
        src={`${root}/api/ext/attachments/${id}/image?size=thumb`}
        alt={`Signature of ${caption ?? fileName}`}
        loading="lazy"
      />
    ))
}
