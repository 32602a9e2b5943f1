import { Menu } from '@base-ui/react/menu'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface Filter {
  /** The name of the operation's parameter and of the page's query parameter. */
  name: string
  label: string
  options: readonly { value: string; label: string }[]
}

/**
 * Shows a filter. If it is not set, it is a button that shows the choices. If it is set, it is a label that can be
 * removed.
 */
export function FilterControl(props: {
  filter: Filter
  value: string | undefined
  onChange(value: string | undefined): void
}) {
  const { filter, value, onChange } = props
  const chosen = filter.options.find((option) => option.value === value)
  return (
    <>
      {value !== undefined && (
        <span className="chip on">
          {filter.label}: {chosen?.label ?? value}
          <button type="button" aria-label={`Remove the filter ${filter.label}`} onClick={() => onChange(undefined)}>
            <Icon name="x" />
          </button>
        </span>
      )}
      {value === undefined && (
        <Menu.Root>
          <Menu.Trigger render={<Button look="quiet" icon="plus" />}>{filter.label}</Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner className="over" sideOffset={4} align="start">
              <Menu.Popup className="menu">
                <Menu.RadioGroup value={value ?? ''} onValueChange={(chosen: string) => onChange(chosen)}>
                  {filter.options.map((option) => (
                    <Menu.RadioItem key={option.value} value={option.value} closeOnClick>
                      <span className="clip">{option.label}</span>
                    </Menu.RadioItem>
                  ))}
                </Menu.RadioGroup>
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      )}
    </>
  )
}
