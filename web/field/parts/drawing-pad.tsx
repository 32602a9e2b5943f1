import { type PointerEvent, type Ref, useEffect, useImperativeHandle, useRef } from 'react'

export type Tool = 'pen' | 'arrow' | 'pin'

/** Mark on a picture. The points are positions in pixels of the picture, so that marks stay when the phone is turned. */
export interface Mark {
  tool: Tool
  points: readonly [x: number, y: number][]
}

export interface Pad {
  /** Returns the picture with its marks. */
  toImage(type: 'image/jpeg' | 'image/png'): Promise<Blob | null>
}

interface DrawingPadProps {
  label: string
  /** Size of the picture in pixels. */
  width: number
  height: number
  /** Drawn below the marks. Without it, the pad is white. */
  picture?: CanvasImageSource
  tool: Tool
  color: string
  marks: readonly Mark[]
  /** Called when the finger leaves the pad. */
  onMark(mark: Mark): void
  ref?: Ref<Pad>
}

/** A finger that moves less than this part of the picture draws no additional point. */
const MIN_STEP = 1 / 400
/** Width of a line as part of the longer side of the picture. */
const LINE = 1 / 160
const JPEG_QUALITY = 0.85

/** Picture or white surface on which a finger, pen, or mouse draws marks. */
export function DrawingPad(props: DrawingPadProps) {
  const { label, width, height, picture, tool, color, marks, onMark } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const current = useRef<[x: number, y: number][]>([])
  const size = Math.max(width, height)
  const redraw = () => {
    const context = canvas.current?.getContext('2d')
    if (context == null) return
    context.fillStyle = '#fff'
    context.fillRect(0, 0, width, height)
    if (picture !== undefined) context.drawImage(picture, 0, 0, width, height)
    const started: readonly Mark[] = current.current.length === 0 ? [] : [{ tool, points: current.current }]
    for (const mark of [...marks, ...started]) drawMark(context, mark, { color, line: size * LINE })
  }
  useEffect(redraw)
  useImperativeHandle(props.ref, () => ({
    toImage: (type) =>
      new Promise((resolve) => {
        if (canvas.current === null) resolve(null)
        else canvas.current.toBlob(resolve, type, JPEG_QUALITY)
      }),
  }))
  const toPoint = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLCanvasElement>): [x: number, y: number] => {
    const place = currentTarget.getBoundingClientRect()
    return [((clientX - place.left) / place.width) * width, ((clientY - place.top) / place.height) * height]
  }
  const move = (event: PointerEvent<HTMLCanvasElement>) => {
    const last = current.current.at(-1)
    if (last === undefined) return
    const point = toPoint(event)
    if (Math.hypot(point[0] - last[0], point[1] - last[1]) < size * MIN_STEP) return
    current.current.push(point)
    redraw()
  }
  const finish = (event: PointerEvent<HTMLCanvasElement>) => {
    if (current.current.length === 0) return
    move(event)
    const points = current.current
    current.current = []
    onMark({ tool, points })
  }
  return (
    <canvas
      ref={canvas}
      className="pad-canvas"
      role="img"
      aria-label={label}
      {...{ width, height }}
      onPointerDown={(event) => {
        if (!event.isPrimary) return
        event.currentTarget.setPointerCapture(event.pointerId)
        current.current = [toPoint(event)]
        redraw()
      }}
      onPointerMove={move}
      onPointerUp={finish}
      onPointerCancel={() => {
        current.current = []
        redraw()
      }}
    />
  )
}

interface Look {
  color: string
  /** Width of a line in pixels. */
  line: number
}

function drawMark(context: CanvasRenderingContext2D, { tool, points }: Mark, { color, line }: Look): void {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) return
  context.strokeStyle = color
  context.fillStyle = color
  context.lineWidth = line
  context.lineCap = 'round'
  context.lineJoin = 'round'
  context.beginPath()
  if (tool === 'pin') {
    // The pin is where the finger is lifted, because the finger covers the place before that.
    context.arc(last[0], last[1], line * 4, 0, 2 * Math.PI)
    context.stroke()
    context.beginPath()
    context.arc(last[0], last[1], line, 0, 2 * Math.PI)
    context.fill()
    return
  }
  context.moveTo(...first)
  for (const point of tool === 'arrow' ? [last] : points) context.lineTo(...point)
  if (tool === 'arrow') drawArrowhead(context, first, last, line * 5)
  context.stroke()
}

/** Angle between the shaft of an arrow and each side of its head. */
const HEAD_ANGLE = Math.PI / 7

function drawArrowhead(
  context: CanvasRenderingContext2D,
  [fromX, fromY]: readonly [number, number],
  [x, y]: readonly [number, number],
  length: number,
): void {
  const angle = Math.atan2(y - fromY, x - fromX)
  for (const side of [angle - HEAD_ANGLE, angle + HEAD_ANGLE]) {
    context.moveTo(x, y)
    context.lineTo(x - Math.cos(side) * length, y - Math.sin(side) * length)
  }
}
