import { useEffect, useState } from 'react'
import type { FieldHome } from '../../../client/contract.gen.ts'
import { addPhoto } from '../day/actions.ts'
import { findKeptDrawing } from '../day/drawings.ts'
import { recordEntries } from '../day/field-store.ts'
import { root } from '../day/root.ts'
import { toPhoto } from '../day/take-photo.ts'
import { useDay } from '../day/use-day.ts'
import { PictureMarker } from '../parts/picture-marker.tsx'
import { goBack } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'

/**
 * Marks a photo of the home, or a drawing that is kept on the phone. The marked picture is a new photo, and the original
 * stays as it is.
 */
export function MarkScreen({ homeId, sourceId }: { homeId: string; sourceId: string }) {
  const { findHome } = useDay()
  const home = findHome(homeId)
  return home === undefined ? <NotInDay noun="home" /> : <MarkedPicture key={sourceId} {...{ home, sourceId }} />
}

interface Source {
  picture: Blob
  /** Record to which the marked picture is added. */
  recordId: string
  caption: string
}

function MarkedPicture({ home, sourceId }: { home: FieldHome; sourceId: string }) {
  const [source, setSource] = useState<Source | null | 'loading'>('loading')
  useEffect(() => {
    const abort = new AbortController()
    void readSource(home.id, sourceId, abort.signal).then((read) => {
      if (!abort.signal.aborted) setSource(read)
    })
    return () => abort.abort()
  }, [home.id, sourceId])
  const save = async ({ recordId, caption }: Source, marked: Blob) => {
    const photo = await toPhoto(marked)
    await recordEntries([addPhoto(home, recordId, caption, photo)], 'Marked picture added')
    goBack()
  }
  return (
    <>
      <ScreenHead title="Mark picture" place={home.name} />
      <div className="pad stack">
        {source === 'loading' && <p role="status">Loading the picture…</p>}
        {source === null && <p>The picture could not be loaded. Try again when you are online.</p>}
        {source !== null && source !== 'loading' && (
          <PictureMarker picture={source.picture} onSave={(marked) => void save(source, marked)} onCancel={goBack} />
        )}
      </div>
    </>
  )
}

async function readSource(homeId: string, sourceId: string, signal: AbortSignal): Promise<Source | null> {
  const kept = await findKeptDrawing(homeId, sourceId)
  if (kept !== undefined) {
    const { bytes, contentType, sheetNumber, title, label } = kept
    const picture = new Blob([bytes], { type: contentType })
    return { picture, recordId: homeId, caption: `Marked: ${sheetNumber} ${title}, revision ${label}` }
  }
  const path = `${root}/api/ext/attachments/${sourceId}`
  try {
    const [file, image] = await Promise.all([fetch(path, { signal }), fetch(`${path}/image?size=screen`, { signal })])
    if (!file.ok || !image.ok) return null
    const { recordId, caption, fileName } = await file.json()
    return { picture: await image.blob(), recordId, caption: `Marked: ${caption ?? fileName}` }
  } catch {
    return null
  }
}
