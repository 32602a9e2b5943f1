import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One primary button per surface. Danger is outlined, and solid only in the confirmation dialog. */
  look?: 'plain' | 'primary' | 'quiet' | 'danger' | 'danger solid'
  icon?: IconName
  small?: boolean
  /**
   * Whether the button's work is in progress. The button then keeps its size, shows the progress, and cannot be pressed
   * again.
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

/** A button with only an icon, and a label for screen readers. */
export function IconButton({ label, ...props }: Omit<ButtonProps, 'children'> & { label: string; icon: IconName }) {
  return (
    <Button {...props} className={`only ${props.className ?? ''}`} title={label}>
      <span className="sr">{label}</span>
    </Button>
  )
}
