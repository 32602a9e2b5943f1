import { humanizeName } from './humanize-name.ts'
import { Shape } from './shape.tsx'
import { type Look, type LookOf, STATUS_LOOKS } from './status-styles.ts'

/** Shows a status as a shape and a word. The color adds no information of its own. */
export function Badge({ look, bare = false }: { look: Look; bare?: boolean }) {
  return (
    <span className={bare ? 'badge bare' : 'badge'} data-tone={look.tone}>
      <Shape name={look.shape} />
      {look.word}
    </span>
  )
}

/** Shows the status of a record in the style for its kind. */
export function Status<Kind extends keyof typeof STATUS_LOOKS>(props: { of: Kind; is: LookOf<Kind>; bare?: boolean }) {
  return <Badge look={getStatusLook(props.of, props.is)} bare={props.bare} />
}

export function getStatusLook<Kind extends keyof typeof STATUS_LOOKS>(kind: Kind, state: LookOf<Kind>): Look {
  const looks: Record<string, Look> = STATUS_LOOKS[kind]
  // A newer version of the service may return statuses that this page does not know.
  return looks[String(state)] ?? { word: humanizeName(String(state)), tone: 'calm', shape: 'ring' }
}
