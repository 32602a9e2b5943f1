import { Dialog } from '../ui/dialog.tsx'
import { PLACES, SETTINGS } from './navigation.ts'

const KEYS: readonly (readonly [keys: string, effect: string])[] = [
  ['Ctrl K', 'Find anything'],
  ['/', 'Find anything'],
  ['j', 'Next row of a list'],
  ['k', 'Row before it'],
  ['Enter', 'Open'],
  ['Esc', 'Close what is open'],
  ['?', 'These keys'],
]

/** All keys, on `?`. */
export default function KeysHelp({ onClose }: { onClose(): void }) {
  const places = [...PLACES, ...SETTINGS].flatMap(({ name, key }) =>
    key === undefined ? [] : [[`g ${key}`, name] as const],
  )
  return (
    <Dialog open onClose={onClose} title="Keys" size="narrow">
      <dl className="kv">
        {[...KEYS, ...places].map(([keys, effect]) => (
          <div className="pair" key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
