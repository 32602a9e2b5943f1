import { useEffect, useState } from 'react'
import type { Drawing } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { keepDrawing, listKeptDrawings, readDrawings, removeKeptDrawing } from '../day/drawings.ts'
import { showNotice } from '../day/field-store.ts'
import { useDay } from '../day/use-day.ts'
import type { KeptDrawing } from '../outbox/database.ts'
import { toRouteHash } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'

/** Lists the drawings of a home. Drawings that are stored on the phone can be opened without a connection. */
export function DrawingsScreen({ homeId }: { homeId: string }) {
  const { findHome } = useDay()
  const home = findHome(homeId)
  const [current, setCurrent] = useState<readonly Drawing[] | null>(null)
  const [kept, setKept] = useState<readonly KeptDrawing[]>([])
  const showKept = () => void listKeptDrawings(homeId).then(setKept)
  useEffect(() => {
    const abort = new AbortController()
    void readDrawings(homeId, abort.signal).then(setCurrent)
    void listKeptDrawings(homeId).then(setKept)
    return () => abort.abort()
  }, [homeId])
  if (home === undefined) return <NotInDay noun="home" />
  const byId = new Map(kept.map((drawing) => [drawing.drawingId, drawing]))
  const others = (current ?? []).filter(({ id }) => !byId.has(id))
  return (
    <>
      <ScreenHead title="Drawings" place={home.name} />
      {current === null && <p className="pad muted">Without a connection, you see only the drawings that you kept.</p>}
      {kept.length + others.length === 0 && <p className="pad muted">No drawings yet.</p>}
      <ul className="links">
        {kept.map((drawing) => (
          <KeptRow
            key={`${drawing.drawingId} ${drawing.revision}`}
            kept={drawing}
            current={current?.find(({ id }) => id === drawing.drawingId)}
            onChange={showKept}
          />
        ))}
        {others.map((drawing) => (
          <li key={drawing.id}>
            <div>
              <strong>
                {drawing.sheetNumber} {drawing.title}
              </strong>
              <span className="muted">Revision {getCurrentLabel(drawing)}</span>
              <div className="acts">
                <KeepButton homeId={homeId} drawing={drawing} onKept={showKept}>
                  Keep
                </KeepButton>
              </div>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

function KeptRow(props: { kept: KeptDrawing; current: Drawing | undefined; onChange(): void }) {
  const { kept, current, onChange } = props
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([kept.bytes], { type: kept.contentType }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [kept])
  const isOutdated = current !== undefined && current.currentRevision !== kept.revision
  return (
    <li>
      <div>
        <strong>
          {kept.sheetNumber} {kept.title}
        </strong>
        <span className="state" data-tone={isOutdated ? 'warn' : undefined}>
          {isOutdated
            ? `You kept revision ${kept.label}. Revision ${getCurrentLabel(current)} replaced it.`
            : `Revision ${kept.label}, kept on this phone`}
        </span>
        <div className="acts">
          <a className="btn" href={url} target="_blank" rel="noreferrer">
            Open
          </a>
          {isOutdated && (
            <KeepButton homeId={kept.homeId} drawing={current} onKept={onChange}>
              Update
            </KeepButton>
          )}
          {kept.contentType.startsWith('image/') && (
            <a className="btn" href={toRouteHash('mark', kept.homeId, kept.drawingId)}>
              Mark
            </a>
          )}
          <Button look="quiet" onClick={() => void removeKeptDrawing(kept).then(onChange)}>
            Remove
          </Button>
        </div>
      </div>
    </li>
  )
}

function KeepButton(props: { homeId: string; drawing: Drawing; onKept(): void; children: string }) {
  const { homeId, drawing, onKept, children } = props
  const [isBusy, setBusy] = useState(false)
  const keep = async () => {
    setBusy(true)
    const isKept = await keepDrawing(homeId, drawing)
    setBusy(false)
    if (isKept) onKept()
    else showNotice('The drawing could not be loaded. Try again when you are online.')
  }
  return (
    <Button busy={isBusy} onClick={() => void keep()}>
      {children}
    </Button>
  )
}

function getCurrentLabel({ revisions, currentRevision }: Drawing): string {
  return revisions.find(({ revision }) => revision === currentRevision)?.label ?? String(currentRevision)
}
