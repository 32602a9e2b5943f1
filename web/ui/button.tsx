import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /**
   * The style of the button. Use at most one `primary` button in an area. `danger` is outlined; `danger solid` is only
   * for confirmation dialogs.
   */
  look?: 'plain' | 'primary' | 'quiet' | 'danger' | 'danger solid'
  icon?: IconName
  small?: boolean
  /**
   * Whether the action of the button is in progress. The button then keeps its size, shows the progress, and cannot be
   * pressed.
   */
  busy?: boolean
  children?: ReactNode
}

export function Button({ look = 'plain', icon, small = false, busy = false, ...props }: ButtonProps) {
  const { className, children, disabled, onClick, type = 'button', ...rest } = props
  const names = ['btn', look === 'plain' ? '' : look, small ? 'small' : '', className ?? '']
  return (
    <button
      {...rest}
      type={type}
      className={names.filter((name) => name !== '').join(' ')}
      disabled={disabled}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spin" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** Shows a button with only an icon. The label is for screen readers. */
export function IconButton({ label, ...props }: Omit<ButtonProps, 'children'> & { label: string; icon: IconName }) {
  return (
    <Button {...props} className={`only ${props.className ?? ''}`} title={label}>
      <span className="sr">{label}</span>
    </Button>
  )
}
