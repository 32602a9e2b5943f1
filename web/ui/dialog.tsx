import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'

/**
 * Shows a dialog for one decision. While it is open, the rest of the page does not react. Escape closes it, and the
 * focus returns to the previous element. `narrow` is for confirmations and `wide` for dry runs.
 */
export function Dialog(props: {
  open: boolean
  onClose(): void
  title: ReactNode
  size?: 'narrow' | 'usual' | 'wide'
  /** The subject of the dialog, which is shown next to the title. */
  note?: ReactNode
  /** The buttons. The main one comes last. */
  tail?: ReactNode
  children: ReactNode
}) {
  const { open, onClose, title, size = 'usual', note, tail, children } = props
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="scrim" />
        <Base.Popup className={`dialog ${size}`}>
          <div className="head">
            <div className="what">
              <Base.Title>{title}</Base.Title>
              {note !== undefined && <p>{note}</p>}
            </div>
            <IconButton icon="x" label="Close" look="quiet" className="push" onClick={onClose} />
          </div>
          <div className="body">{children}</div>
          {tail !== undefined && <div className="tail">{tail}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
