import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { copyText } from './clipboard.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

/**
 * Shows a secret for the only time. The dialog can be closed only after the user confirms that the secret is stored.
 */
export function SecretDialog(props: {
  title: string
  note?: ReactNode
  /** The secret; null if the response that contained it was lost. */
  secret: string | null
  /** Instructions in case the secret is lost, now or later. */
  ifLost: ReactNode
  isLost: ReactNode
  onClose(): void
  children?: ReactNode
}) {
  const { title, note, secret, ifLost, isLost, onClose, children } = props
  const [isStored, setIsStored] = useState(secret === null)
  return (
    <Dialog
      open
      // Ignores Escape and clicks outside, because closing the dialog too early would lose the secret forever.
      onClose={() => isStored && onClose()}
      title={title}
      note={note}
      tail={
        <>
          <span className="push" />
          <Button look="primary" disabled={!isStored} onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {secret === null ? (
        <div className="banner" data-tone="warn">
          <Icon name="warn" />
          <p>The response with the secret was lost. The secret is shown only once. {isLost}</p>
        </div>
      ) : (
        <div className="secret">
          <div className="row">
            <Icon name="lock" />
            <h3>This secret is shown only once</h3>
          </div>
          <div className="value">
            <code>{secret}</code>
            <Button small look="primary" icon="copy" onClick={() => void copyText(secret, 'The secret')}>
              Copy
            </Button>
          </div>
          <p className="small muted">{ifLost}</p>
        </div>
      )}
      {children}
      {secret !== null && (
        <label className="check">
          <input type="checkbox" checked={isStored} onChange={(event) => setIsStored(event.target.checked)} />I have
          stored the secret
        </label>
      )}
    </Dialog>
  )
}
