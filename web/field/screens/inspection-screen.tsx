import { useState } from 'react'
import type {
  FieldHome,
  FieldInspection,
  InspectionOutcome,
  InspectionResultCreate,
} from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { addPhoto, recordResult } from '../day/actions.ts'
import { addDays, formatDay } from '../day/dates.ts'
import { recordEntries } from '../day/field-store.ts'
import { preparePhoto } from '../day/take-photo.ts'
import { getTodayAt, useDay } from '../day/use-day.ts'
import { CameraButton } from '../parts/camera-button.tsx'
import { Chips, type Choice } from '../parts/chips.tsx'
import { goBack } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'

const OUTCOMES: readonly Choice<InspectionOutcome>[] = [
  { value: 'passed', label: 'Passed' },
  { value: 'failed', label: 'Failed' },
  { value: 'partial', label: 'Partial' },
]

const OUTCOME_WORDS = { passed: 'passed', failed: 'failed', partial: 'partly passed' } as const

/** Records the result of an inspection. */
export function InspectionScreen({ id }: { id: string }) {
  const { day, findHome } = useDay()
  const inspection = day.inspections.find((each) => each.id === id)
  const home = inspection === undefined ? undefined : findHome(inspection.homeId)
  if (inspection === undefined || home === undefined) return <NotInDay noun="inspection" />
  return <OpenInspection key={id} home={home} inspection={inspection} />
}

function OpenInspection({ home, inspection }: { home: FieldHome; inspection: FieldInspection }) {
  const { can } = useDay()
  const today = getTodayAt(home)
  const { isSaving, saveOnce } = useSaveOnce()
  const [result, setResult] = useState<InspectionOutcome | null>(null)
  const [failed, setFailed] = useState<ReadonlySet<string>>(new Set())
  const [note, setNote] = useState('')
  const [again, setAgain] = useState<string | null>(null)
  const [released, setReleased] = useState<ReadonlySet<string>>(new Set())
  const dates: Choice<string>[] = [
    ...[1, 2, 3, 5, 7].map((days) => ({ value: addDays(today, days), label: formatDay(addDays(today, days)) })),
    { value: '', label: 'Unknown' },
  ]
  const isReady = result !== null && (result !== 'partial' || released.size > 0)
  const save = async () => {
    if (result === null) return
    const items = inspection.items.map(({ itemId, text, note: earlier, scope, vendorId }) => ({
      ...{ itemId, text, note: earlier, scope, vendorId },
      result: failed.has(itemId) && result !== 'passed' ? ('fail' as const) : ('pass' as const),
    }))
    const corrections = note.trim()
    const body: InspectionResultCreate = {
      result,
      ...(items.length > 0 && { items }),
      ...(corrections !== '' && { notes: corrections }),
      ...(result !== 'passed' && again !== null && again !== '' && { reinspection: { date: again } }),
      ...(result === 'partial' && { releasedScopes: [...released] }),
    }
    await recordEntries(recordResult(home, inspection, body), `${inspection.name} ${OUTCOME_WORDS[result]}`)
    goBack()
  }
  const isAllowed = can('inspections:write') && can('tasks:write')
  return (
    <>
      <ScreenHead title={inspection.name} place={`${home.name}, ${home.communityName}`} />
      <form
        className="pad stack"
        onSubmit={(event) => {
          event.preventDefault()
          saveOnce(save)
        }}
      >
        <p className="muted">
          {inspection.scheduledDate === null ? 'Requested' : `Scheduled for ${formatDay(inspection.scheduledDate)}`}
          {inspection.inspectorName !== null && `, ${inspection.inspectorName}`}
        </p>
        <Chips legend="Result" choices={OUTCOMES} value={result} onChoose={setResult} />
        {result !== null && result !== 'passed' && (
          <>
            {inspection.items.length > 0 && (
              <fieldset className="checklist">
                <legend>Failed items</legend>
                {inspection.items.map(({ itemId, text }) => (
                  <label key={itemId}>
                    <input
                      type="checkbox"
                      checked={failed.has(itemId)}
                      onChange={() => setFailed(toggle(failed, itemId))}
                    />
                    <span>{text}</span>
                  </label>
                ))}
              </fieldset>
            )}
            {result === 'partial' && (
              <fieldset className="checklist">
                <legend>Trades that can continue</legend>
                {home.trades.map(({ scope }) => (
                  <label key={scope}>
                    <input
                      type="checkbox"
                      checked={released.has(scope)}
                      onChange={() => setReleased(toggle(released, scope))}
                    />
                    <span>{humanizeName(scope)}</span>
                  </label>
                ))}
                {home.trades.length === 0 && (
                  <p>The home has no issued orders. Record partial results in the office.</p>
                )}
              </fieldset>
            )}
            <Chips legend="Next attempt" choices={dates} value={again} onChoose={setAgain} />
            <div className="field">
              <label htmlFor="note">Corrections (optional)</label>
              <textarea
                id="note"
                className="input"
                rows={3}
                maxLength={5000}
                value={note}
                onChange={({ currentTarget: { value } }) => setNote(value)}
              />
            </div>
          </>
        )}
        <div className="acts wide">
          <CameraButton
            icon="plus"
            onPicture={(file) =>
              void preparePhoto(file).then((photo) =>
                recordEntries([addPhoto(home, inspection.id, inspection.name, photo)], 'Photo added'),
              )
            }
          >
            Add photo
          </CameraButton>
          <Button look="primary" type="submit" disabled={isSaving || !isReady || !isAllowed}>
            Save result
          </Button>
        </div>
      </form>
    </>
  )
}

/** Returns the set with the value added or, if the set already contains it, removed. */
function toggle(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  const changed = new Set(set)
  if (!changed.delete(value)) changed.add(value)
  return changed
}
