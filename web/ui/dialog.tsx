import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'

/**
 * Decides about one thing. The rest of the page is inert meanwhile, Escape closes it, and the focus returns to where it
 * was. `narrow` to confirm, `wide` for a dry run.
 */
export function Dialog(props: {
  open: boolean
  onClose(): void
  title: ReactNode
  size?: 'narrow' | 'usual' | 'wide'
  /** Beside the title: what it is about. */
  note?: ReactNode
  /** The buttons, the one that does it last. */
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
