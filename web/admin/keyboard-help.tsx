import { Dialog } from '../ui/dialog.tsx'
import { DESTINATIONS, SETTINGS_DESTINATIONS } from './navigation.ts'

const SHORTCUTS: readonly (readonly [keys: string, effect: string])[] = [
  ['Ctrl K', 'Search'],
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open'],
  ['Esc', 'Close dialog'],
  ['?', 'Show keyboard shortcuts'],
]

/** Lists all keyboard shortcuts. Opened with `?`. */
export default function KeyboardHelp({ onClose }: { onClose(): void }) {
  const places = [...DESTINATIONS, ...SETTINGS_DESTINATIONS].flatMap(({ name, key }) =>
    key === undefined ? [] : [[`g ${key}`, name] as const],
  )
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts" size="narrow">
      <dl className="kv">
        {[...SHORTCUTS, ...places].map(([keys, effect]) => (
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
