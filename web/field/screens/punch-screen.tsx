import { useEffect, useMemo, useState } from 'react'
import type { FieldHome, FieldWalkthrough } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { addPunchItem } from '../day/actions.ts'
import { recordEntries } from '../day/field-store.ts'
import { describeWalkthrough } from '../day/home-words.ts'
import { preparePhoto, toPhoto } from '../day/take-photo.ts'
import { useDay } from '../day/use-day.ts'
import { CameraButton } from '../parts/camera-button.tsx'
import { Chips } from '../parts/chips.tsx'
import { PictureMarker } from '../parts/picture-marker.tsx'
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
export function PunchScreen({ homeId, walkthroughId }: { homeId: string; walkthroughId: string | undefined }) {
  const { day, findHome } = useDay()
  const home = findHome(homeId)
  const walkthrough = day.walkthroughs.find(({ id }) => id === walkthroughId) ?? null
  return home === undefined ? <NotInDay noun="home" /> : <NewPunchItem {...{ home, walkthrough }} />
}

function NewPunchItem({ home, walkthrough }: { home: FieldHome; walkthrough: FieldWalkthrough | null }) {
  const { findVendor } = useDay()
  const { isSaving, saveOnce } = useSaveOnce()
  const [photo, setPhoto] = useState(punchDraft.photo)
  const [room, setRoom] = useState(punchDraft.room)
  const [description, setDescription] = useState('')
  const [isBeforeClosing, setBeforeClosing] = useState(false)
  const [isMarking, setIsMarking] = useState(false)
  // Discards the photo only when the screen closes, because the screen stays open if the user takes another photo.
  useEffect(
    () => () => {
      punchDraft.photo = null
    },
    [],
  )
  const picture = useMemo(() => (photo === null ? null : new Blob([photo.bytes], { type: photo.type })), [photo])
  const preview = usePreview(picture)
  const scopes = [...new Set([...home.trades.map(({ scope }) => scope), ...TRADES])]
  const save = async (scope: string) => {
    if (room === null) return
    punchDraft.room = room
    const given = { location: room, scope, description, isBeforeClosing, photo, walkthrough }
    const entries = addPunchItem(home, given)
    const vendorId = home.trades.find((trade) => trade.scope === scope)?.vendorId ?? null
    const vendor = findVendor(vendorId)
    await recordEntries(entries, `Punch item added${vendor === undefined ? '' : ` for ${vendor.companyName}`}`)
    goBack()
  }
  if (isMarking && picture !== null) {
    const keep = async (marked: Blob) => {
      setPhoto(await toPhoto(marked))
      setIsMarking(false)
    }
    return (
      <>
        <ScreenHead title="Mark photo" place={home.name} />
        <div className="pad">
          <PictureMarker
            picture={picture}
            onSave={(marked) => void keep(marked)}
            onCancel={() => setIsMarking(false)}
          />
        </div>
      </>
    )
  }
  return (
    <>
      <ScreenHead
        title="Punch item"
        place={[home.name, walkthrough === null ? home.communityName : describeWalkthrough(walkthrough.kind)].join(
          ', ',
        )}
      />
      <div className="pad stack">
        {preview !== null ? (
          <div className="shot-row">
            <img className="shot" src={preview} alt="The punch item" />
            <Button onClick={() => setIsMarking(true)}>Mark photo</Button>
          </div>
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
              {humanizeName(scope)}
            </button>
          ))}
        </fieldset>
      </div>
    </>
  )
}

/** Returns a URL that shows an image as long as the screen is open. */
function usePreview(picture: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (picture === null) return
    const made = URL.createObjectURL(picture)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [picture])
  return url
}
