import { useEffect, useState } from 'react'
import type { FieldHome } from '../../../client/contract.gen.ts'
import { addPunchItem } from '../day/actions.ts'
import { recordEntries } from '../day/field-store.ts'
import { preparePhoto } from '../day/take-photo.ts'
import { useDay } from '../day/use-day.ts'
import { CameraButton } from '../parts/camera-button.tsx'
import { Chips } from '../parts/chips.tsx'
import { goBack } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'
import { punchDraft } from './punch-draft.ts'

const ROOMS = [
  ...['Kitchen', 'Living', 'Dining', 'Entry', 'Hall', 'Primary bedroom', 'Primary bath', 'Bedroom 2', 'Bedroom 3'],
  ...['Bath 2', 'Powder', 'Laundry', 'Stairs', 'Garage', 'Porch', 'Exterior', 'Roof', 'Yard'],
]
/** The trades of most punch items. They are shown after the trades that have an order for the home. */
const TRADES = ['painting', 'drywall', 'carpentry', 'plumbing', 'electrical', 'hvac', 'flooring', 'cleaning']

/**
 * Shows the form for a new punch item. The photo has already been taken, the room is the same as for the previous item,
 * and choosing the trade saves the item.
 */
export function PunchScreen({ homeId }: { homeId: string }) {
  const { findHome } = useDay()
  const home = findHome(homeId)
  return home === undefined ? <NotInDay noun="home" /> : <NewPunchItem home={home} />
}

function NewPunchItem({ home }: { home: FieldHome }) {
  const { findVendor } = useDay()
  const { isSaving, saveOnce } = useSaveOnce()
  const [photo, setPhoto] = useState(punchDraft.photo)
  const [room, setRoom] = useState(punchDraft.room)
  const [description, setDescription] = useState('')
  const [isBeforeClosing, setBeforeClosing] = useState(false)
  // Discards the photo only when the screen closes, because the screen stays open if the user takes another photo.
  useEffect(
    () => () => {
      punchDraft.photo = null
    },
    [],
  )
  const preview = usePreview(photo?.bytes ?? null, photo?.type ?? '')
  const scopes = [...new Set([...home.trades.map(({ scope }) => scope), ...TRADES])]
  const save = async (scope: string) => {
    if (room === null) return
    punchDraft.room = room
    const entries = addPunchItem(home, { location: room, scope, description, isBeforeClosing, photo })
    const vendorId = home.trades.find((trade) => trade.scope === scope)?.vendorId ?? null
    const vendor = findVendor(vendorId)
    await recordEntries(entries, `Punch item added${vendor === undefined ? '' : ` for ${vendor.companyName}`}`)
    goBack()
  }
  return (
    <>
      <ScreenHead title="Punch item" place={`${home.name}, ${home.communityName}`} />
      <div className="pad stack">
        {preview !== null ? (
          <img className="shot" src={preview} alt="The punch item" />
        ) : (
          <div className="acts wide">
            <CameraButton icon="plus" onPicture={(file) => void preparePhoto(file).then(setPhoto)}>
              Add photo
            </CameraButton>
          </div>
        )}
        <Chips
          legend="Room"
          choices={ROOMS.map((value) => ({ value, label: value }))}
          value={room}
          onChoose={setRoom}
        />
        <div className="field">
          <label htmlFor="description">
            {photo === null ? 'What needs to be fixed?' : 'What needs to be fixed? (optional with a photo)'}
          </label>
          <textarea
            id="description"
            className="input"
            rows={2}
            maxLength={500}
            value={description}
            onChange={({ currentTarget: { value } }) => setDescription(value)}
          />
        </div>
        <label className="tick">
          <input
            type="checkbox"
            checked={isBeforeClosing}
            onChange={({ currentTarget: { checked } }) => setBeforeClosing(checked)}
          />
          <span>Must be fixed before closing</span>
        </label>
        <fieldset
          className="choices"
          disabled={isSaving || room === null || (photo === null && description.trim() === '')}
        >
          <legend>Choose a trade to save</legend>
          {scopes.map((scope) => (
            <button type="button" key={scope} className="btn" onClick={() => saveOnce(() => save(scope))}>
              {scope}
            </button>
          ))}
        </fieldset>
      </div>
    </>
  )
}

/** Returns a URL that shows an image as long as the screen is open. */
function usePreview(bytes: ArrayBuffer | null, type: string): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (bytes === null) return
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return url
}
