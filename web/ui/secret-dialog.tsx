import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { copy } from './clipboard.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

/** A secret, the one time that it is shown. It closes when somebody says that they have stored it. */
export function SecretDialog(props: {
  title: string
  note?: ReactNode
  /** Null if the answer that held it was lost on its way. */
  secret: string | null
  /** What is to be done when it is lost, now or later. */
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
      // Escape and a click beside it would lose the secret for ever.
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
            <Button small look="primary" icon="copy" onClick={() => void copy(secret, 'The secret')}>
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
