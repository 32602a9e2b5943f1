import { useCallback } from 'react'
import type { Attachment } from '../../../client/contract.gen.ts'
import { client, root } from '../../api/plumbline.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FilePreview, type PreviewedFile } from '../../ui/file-preview.tsx'
import { formatFileSize } from '../../ui/number-formats.ts'

/** Returns the path from which a browser saves a file. */
export function toDownloadPath(attachmentId: string): string {
  return `${root}/api/ext/attachments/${attachmentId}/content`
}

/** Returns whether a file can be shown within a page. */
export function canPreview({ contentType }: Attachment): boolean {
  return contentType === 'application/pdf' || contentType.startsWith('image/')
}

/** Shows a file of a record within the page. */
export function StoredFile({ file: { id, fileName, contentType } }: { file: Attachment }) {
  const load = useCallback(async () => {
    const { data, error } = await client.GET('/api/ext/attachments/{attachmentId}/content', {
      params: { path: { attachmentId: id } },
      parseAs: 'blob',
    })
    if (error !== undefined) throw error
    return data as unknown as Blob
  }, [id])
  const shown: PreviewedFile =
    contentType === 'application/pdf'
      ? { kind: 'pdf', name: fileName, load }
      : contentType.startsWith('image/')
        ? { kind: 'image', name: fileName, address: `${root}/api/ext/attachments/${id}/image?size=screen` }
        : { kind: 'other', name: fileName }
  return <FilePreview file={shown} />
}

/** Shows a file in a dialog, with a link that saves it. */
export function FileDialog({ file, onClose }: { file: Attachment; onClose(): void }) {
  return (
    <Dialog
      open
      size="wide"
      title={file.fileName}
      note={formatFileSize(file.size)}
      onClose={onClose}
      tail={
        <>
          <span className="push" />
          <a className="btn" href={toDownloadPath(file.id)} download={file.fileName}>
            Download
          </a>
        </>
      }
    >
      <StoredFile file={file} />
    </Dialog>
  )
}
