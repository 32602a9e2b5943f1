import { useRef, useState } from 'react'
import type { FieldHome } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { type Photo, signLog, signWalkthrough } from '../day/actions.ts'
import { formatDay } from '../day/dates.ts'
import { recordEntries } from '../day/field-store.ts'
import { describeWalkthrough } from '../day/home-words.ts'
import { toPhoto } from '../day/take-photo.ts'
import { useDay } from '../day/use-day.ts'
import type { NewEntry } from '../outbox/entry.ts'
import { DrawingPad, type Mark, type Pad } from '../parts/drawing-pad.tsx'
import { goBack } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'

/** Signature of a buyer below the list of a walkthrough, or of a person on site below a daily log. */
export function SignScreen({ recordId }: { recordId: string }) {
  const { day, findHome } = useDay()
  const walkthrough = day.walkthroughs.find(({ id }) => id === recordId)
  const log = day.logs.find(({ id }) => id === recordId)
  const home = findHome(walkthrough?.homeId ?? log?.homeId ?? '')
  if (home === undefined) return <NotInDay noun="record" />
  if (walkthrough !== undefined)
    return (
      <SignatureForm
        title={describeWalkthrough(walkthrough.kind)}
        {...{ home, text: walkthrough.list }}
        consent="By signing, you confirm that this list is complete, and you agree to sign electronically."
        toEntries={(signedBy, picture) => signWalkthrough(home, walkthrough, { signedBy, picture })}
      />
    )
  if (log === undefined) return <NotInDay noun="record" />
  return (
    <SignatureForm
      title="Daily log"
      {...{ home, text: log.workDone ?? 'No work was recorded.' }}
      place={formatDay(log.logDate)}
      consent="By signing, you confirm that you have read this log."
      toEntries={(signedBy, picture) => [signLog(home, log, { signedBy, picture })]}
    />
  )
}

/** Size of a signature in pixels, which is the shape of a signature line. */
const WIDTH = 900
const HEIGHT = 360
const INK = '#10203a'

function SignatureForm(props: {
  home: FieldHome
  title: string
  place?: string
  text: string
  consent: string
  toEntries(signedBy: string, picture: Photo): NewEntry[]
}) {
  const { home, title, place, text, consent, toEntries } = props
  const pad = useRef<Pad>(null)
  const { isSaving, saveOnce } = useSaveOnce()
  const [marks, setMarks] = useState<readonly Mark[]>([])
  const [name, setName] = useState('')
  const save = async () => {
    const picture = await pad.current?.toImage('image/png')
    if (picture == null) return
    await recordEntries(toEntries(name.trim(), await toPhoto(picture)), `${title} signed`)
    goBack()
  }
  return (
    <>
      <ScreenHead title={title} place={[home.name, place].filter(Boolean).join(', ')} />
      <form
        className="pad stack"
        onSubmit={(event) => {
          event.preventDefault()
          saveOnce(save)
        }}
      >
        <p className="signed-text">{text}</p>
        <div className="field">
          <label htmlFor="signer">Name of the signer</label>
          <input
            id="signer"
            className="input"
            autoComplete="off"
            maxLength={200}
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
          />
        </div>
        <p className="muted">{consent}</p>
        <DrawingPad
          ref={pad}
          label="Signature"
          {...{ width: WIDTH, height: HEIGHT, tool: 'pen', color: INK, marks }}
          onMark={(mark) => setMarks([...marks, mark])}
        />
        <div className="acts wide">
          <Button disabled={marks.length === 0} icon="undo" onClick={() => setMarks([])}>
            Clear
          </Button>
          <Button look="primary" type="submit" disabled={isSaving || marks.length === 0 || name.trim() === ''}>
            Sign
          </Button>
        </div>
      </form>
    </>
  )
}
