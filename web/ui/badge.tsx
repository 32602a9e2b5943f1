import { Shape } from './shape.tsx'
import { type Look, type LookOf, STATUS_LOOKS } from './status-styles.ts'

/** Shows a state as a shape and a word. The color only repeats this information. */
export function Badge({ look, bare = false }: { look: Look; bare?: boolean }) {
  return (
    <span className={bare ? 'badge bare' : 'badge'} data-tone={look.tone}>
      <Shape name={look.shape} />
      {look.word}
    </span>
  )
}

/** Shows the state of a record in the style of its kind. */
export function Status<Kind extends keyof typeof STATUS_LOOKS>(props: { of: Kind; is: LookOf<Kind>; bare?: boolean }) {
  return <Badge look={getStatusLook(props.of, props.is)} bare={props.bare} />
}

export function getStatusLook<Kind extends keyof typeof STATUS_LOOKS>(kind: Kind, state: LookOf<Kind>): Look {
  const looks: Record<string, Look> = STATUS_LOOKS[kind]
  // A service that is newer than the page may return states that the page does not know.
  return looks[String(state)] ?? { word: humanizeName(String(state)), tone: 'calm', shape: 'ring' }
}

const ABBREVIATIONS = ['hvac', 'ach', 'po', 'id', 'pdf', 'sms', 'url', 'sku', 'api', 'hoa', 'ip']

/** Names for which the code uses another spelling or word than users. */
const SPELLINGS: Readonly<Record<string, string>> = { cancelled: 'canceled', refused: 'rejected', w9: 'W-9' }

/** Converts a name such as `pending_review` to words. */
export function humanizeName(name: string): string {
  const words = name
    .replaceAll(/[_-]/g, ' ')
    .split(' ')
    .map((word) => (ABBREVIATIONS.includes(word) ? word.toUpperCase() : (SPELLINGS[word] ?? word)))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
