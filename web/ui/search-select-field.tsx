import { Combobox } from '@base-ui/react/combobox'
import type { ReactNode } from 'react'
import { Field } from './form.tsx'

/** The maximum number of options in the list. Users narrow it by typing. */
const MAX_SHOWN = 50

/** Lets the user choose one of many options by typing a part of its label. Nothing is chosen at first. */
export function SearchSelectField(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  options: readonly { value: string; label: string }[]
  value: string
  onChange(value: string): void
}) {
  const { name, options, value, onChange, ...field } = props
  const labels = new Map(options.map((option) => [option.value, option.label]))
  return (
    <Field name={name} {...field}>
      {({ name: _, ...control }) => (
        <Combobox.Root
          items={options.map((option) => option.value)}
          itemToStringLabel={(option: string) => labels.get(option) ?? option}
          limit={MAX_SHOWN}
          value={value === '' ? null : value}
          onValueChange={(option) => onChange(option ?? '')}
        >
          <Combobox.Input {...control} data-field={name} className="input" placeholder="Type to search" />
          <Combobox.Portal>
            <Combobox.Positioner className="over above-dialog" sideOffset={4} align="start">
              <Combobox.Popup className="menu options">
                <Combobox.Empty className="muted">Nothing found</Combobox.Empty>
                <Combobox.List>
                  {(option: string) => (
                    <Combobox.Item key={option} value={option}>
                      {labels.get(option)}
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  )
}
