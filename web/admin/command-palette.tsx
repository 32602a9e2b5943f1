import { Dialog } from '@base-ui/react/dialog'
import { keepPreviousData } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useNavigate } from 'react-router'
import type { SearchHit } from '../../client/contract.gen.ts'
import { plumbline } from '../api/plumbline.ts'
import { FRAME_QUERY, useCan } from '../api/session.ts'
import { humanizeName } from '../ui/humanize-name.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { formatCount } from '../ui/text-formats.ts'
import { DESTINATIONS, SETTINGS_DESTINATIONS } from './navigation.ts'

/** Finds records and pages by a few letters. The user chooses one with the arrow keys and Enter. */
export default function CommandPalette({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  const can = useCan()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const q = useDeferredValue(text.trim())
  const found = plumbline.useQuery(
    'get',
    '/api/ext/search',
    { params: { query: { q, limit: 12 } } },
    { enabled: q !== '', placeholderData: keepPreviousData, meta: FRAME_QUERY },
  )
  const places = [...DESTINATIONS, ...SETTINGS_DESTINATIONS].filter(
    ({ name, needs }) => (needs === undefined || can(needs)) && name.toLowerCase().includes(q.toLowerCase()),
  )
  const options: PaletteOption[] = [
    ...(q === '' ? [] : (found.data?.data ?? []).flatMap(toOptions)),
    ...places.map(({ to, name, icon }) => ({ to, icon, title: name, detail: null, group: 'Go to', note: '' })),
  ]
  const current = Math.min(chosen, options.length - 1)
  const go = (option: PaletteOption | undefined) => {
    if (option === undefined) return
    onClose()
    void navigate(option.to)
  }
  const corrections = q === '' ? [] : (found.data?.corrections ?? [])

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog palette">
          <Dialog.Title className="sr">Search</Dialog.Title>
          <div className="q">
            <Icon name="search" />
            <input
              role="combobox"
              aria-label="Search"
              aria-expanded={options.length > 0}
              aria-controls="palette-options"
              aria-activedescendant={options.length > 0 ? `palette-${current}` : undefined}
              placeholder="Number, name, or address"
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                setChosen(0)
              }}
              onKeyDown={(event) => {
                const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
                if (step !== 0) {
                  event.preventDefault()
                  setChosen((current + step + options.length) % Math.max(options.length, 1))
                }
                if (event.key === 'Enter') go(options[current])
              }}
            />
            <kbd>esc</kbd>
          </div>
          {corrections.map(({ word, to }) => (
            <p className="corrected" key={word}>
              No results for “{word}”. Showing results for {to.map((one) => `“${one}”`).join(' or ')}.
            </p>
          ))}
          <div id="palette-options" role="listbox" aria-label="Search results">
            {groupOptions(options).map(({ group, items }) => (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be within a listbox.
              <div role="group" aria-label={group} key={group}>
                <span aria-hidden="true">{group}</span>
                {items.map(({ option, at }) => (
                  // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and names the active option.
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys.
                  <div
                    role="option"
                    id={`palette-${at}`}
                    key={option.to + option.title}
                    aria-selected={at === current}
                    ref={at === current ? scrollIntoView : undefined}
                    onClick={() => go(option)}
                  >
                    <Icon name={option.icon} />
                    <span className="clip">
                      {option.title} {option.detail !== null && <span className="faint">{option.detail}</span>}
                    </span>
                    <small>{option.note}</small>
                  </div>
                ))}
              </div>
            ))}
          </div>
          <p className="sr" role="status">
            {q !== '' && found.isSuccess && `${formatCount(options.length, 'result')} found`}
          </p>
          {q !== '' && found.isSuccess && options.length === 0 && <p className="corrected">No results for “{q}”.</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface PaletteOption {
  to: string
  icon: IconName
  title: string
  detail: string | null
  group: string
  note: string
}

/** The page for each kind of search result. A kind without its own page links to the list that contains the record. */
const RECORD_PAGES: Partial<Record<SearchHit['type'], { group: string; icon: IconName; to(id: string): string }>> = {
  vendor: { group: 'Vendors', icon: 'vendors', to: (id) => `/vendors/${id}` },
  bid_request: { group: 'Bidding', icon: 'bids', to: (id) => `/bidding/${id}` },
  community: { group: 'Homes', icon: 'homes', to: (id) => `/communities/${id}` },
  home: { group: 'Homes', icon: 'homes', to: (id) => `/homes/${id}` },
  purchase_order: { group: 'Orders', icon: 'orders', to: (id) => `/orders/${id}` },
  payment: { group: 'Payments', icon: 'payments', to: (id) => `/payments/${id}` },
  lead: { group: 'Sales', icon: 'sales', to: (id) => `/sales/leads/${id}` },
  sale: { group: 'Sales', icon: 'sales', to: (id) => `/sales/${id}` },
  plan: { group: 'Catalog', icon: 'catalogue', to: (id) => `/catalogue/plans/${id}` },
  option: { group: 'Catalog', icon: 'catalogue', to: (id) => `/catalogue/options/${id}` },
  part: { group: 'Catalog', icon: 'catalogue', to: (id) => `/catalogue/parts/${id}` },
}

function toOptions({ type, id, title, detail, status }: SearchHit): PaletteOption[] {
  const place = RECORD_PAGES[type]
  if (place === undefined) return []
  return [{ to: place.to(id), icon: place.icon, title, detail, group: place.group, note: humanizeName(status) }]
}

function groupOptions(
  options: readonly PaletteOption[],
): { group: string; items: { option: PaletteOption; at: number }[] }[] {
  const groups = Map.groupBy(
    options.map((option, at) => ({ option, at })),
    ({ option }) => option.group,
  )
  return [...groups].map(([group, items]) => ({ group, items }))
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
