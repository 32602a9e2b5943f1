import { useEffect, useState } from 'react'
import { LoadError, SkeletonLines } from './states.tsx'

/** A file to show: the URL of an image, or the bytes of a PDF. */
export type PreviewedFile =
  | { kind: 'image'; name: string; address: string }
  | { kind: 'pdf'; name: string; load(): Promise<Blob> }
  | { kind: 'other'; name: string }

/**
 * Shows an image or a PDF on the page. Browsers without a PDF viewer, as on most phones, show only the name of the
 * file.
 */
export function FilePreview({ file }: { file: PreviewedFile }) {
  if (file.kind === 'image') return <img className="file-preview" src={file.address} alt={file.name} />
  if (file.kind === 'pdf' && navigator.pdfViewerEnabled) return <PdfPreview key={file.name} file={file} />
  return <p className="muted">Open the file to see it. This browser cannot show it within the page.</p>
}

function PdfPreview({ file }: { file: Extract<PreviewedFile, { kind: 'pdf' }> }) {
  const [address, setAddress] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const { load, name } = file
  useEffect(() => {
    let made: string | null = null
    let isShown = true
    load().then(
      (bytes) => {
        if (!isShown) return
        // The service sends files only as downloads, so the page shows its own copy of the bytes.
        made = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
        setAddress(made)
      },
      (cause: unknown) => isShown && setError(cause),
    )
    return () => {
      isShown = false
      if (made !== null) URL.revokeObjectURL(made)
    }
  }, [load])
  if (error !== null) return <LoadError what="The file" error={error} />
  if (address === null) return <SkeletonLines lines={6} />
  return <iframe className="file-preview pdf" src={address} title={name} />
}
