import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Chips, type Choice } from './chips.tsx'
import { DrawingPad, type Mark, type Pad, type Tool } from './drawing-pad.tsx'

const TOOLS: readonly Choice<Tool>[] = [
  { value: 'pen', label: 'Line' },
  { value: 'arrow', label: 'Arrow' },
  { value: 'pin', label: 'Pin' },
]
/** A red that is visible on wood, concrete, and drawings. */
const COLOR = '#d3122f'
/** Maximum width and height of the marked picture in pixels, as for photos that are sent. */
const MAX_PIXELS = 2048

/** Lets the user mark a picture with a finger. */
export function PictureMarker(props: { picture: Blob; onSave(marked: Blob): void; onCancel(): void }) {
  const { picture, onSave, onCancel } = props
  const pad = useRef<Pad>(null)
  const [bitmap, setBitmap] = useState<ImageBitmap | null>(null)
  const [canRead, setCanRead] = useState(true)
  const [tool, setTool] = useState<Tool>('pen')
  const [marks, setMarks] = useState<readonly Mark[]>([])
  useEffect(() => {
    let isOpen = true
    createImageBitmap(picture)
      .then((read) => (isOpen ? setBitmap(read) : read.close()))
      .catch(() => setCanRead(false))
    return () => {
      isOpen = false
    }
  }, [picture])
  useEffect(() => () => bitmap?.close(), [bitmap])
  const scale = bitmap === null ? 1 : Math.min(1, MAX_PIXELS / Math.max(bitmap.width, bitmap.height))
  const save = async () => {
    const marked = await pad.current?.toImage('image/jpeg')
    if (marked != null) onSave(marked)
  }
  return (
    <div className="stack">
      {!canRead && <p className="caution">This picture cannot be displayed on this phone.</p>}
      {bitmap !== null && (
        <DrawingPad
          ref={pad}
          label="Picture to mark"
          width={Math.round(bitmap.width * scale)}
          height={Math.round(bitmap.height * scale)}
          picture={bitmap}
          color={COLOR}
          onMark={(mark) => setMarks([...marks, mark])}
          {...{ tool, marks }}
        />
      )}
      <Chips legend="Draw" choices={TOOLS} value={tool} onChoose={setTool} />
      <div className="acts wide">
        <Button disabled={marks.length === 0} icon="undo" onClick={() => setMarks(marks.slice(0, -1))}>
          Undo
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button look="primary" disabled={marks.length === 0} onClick={() => void save()}>
          Save marks
        </Button>
      </div>
    </div>
  )
}
