import { useState } from 'react'
import { Button } from '../../ui/button.tsx'

interface LedgerPages {
  /** For each page after the first one up to the shown page, the ID after which it starts. */
  pages: readonly string[]
  /** The ID after which the shown page starts; undefined on the first page. */
  after: string | undefined
  setPages(pages: readonly string[]): void
}

/**
 * Returns the page that the user has opened, and a function to open another one. A changed filter starts at the first
 * page.
 */
export function useLedgerPages(filter: string): LedgerPages {
  const [turned, setTurned] = useState<{ filter: string; pages: readonly string[] }>({ filter, pages: [] })
  const pages = turned.filter === filter ? turned.pages : []
  return { pages, after: pages.at(-1), setPages: (pages) => setTurned({ filter, pages }) }
}

/**
 * Shows buttons for the previous and the next page, unless there is only one page. `last` is the ID after which the
 * next page starts: null on the last page, and undefined while the page loads.
 */
export function LedgerPager(props: Pick<LedgerPages, 'pages' | 'setPages'> & { last: string | null | undefined }) {
  const { pages, setPages, last } = props
  if (last === undefined || (last === null && pages.length === 0)) return null
  return (
    <div className="pager">
      <span className="btns">
        <Button small disabled={pages.length === 0} onClick={() => setPages(pages.slice(0, -1))}>
          Previous
        </Button>
        <Button small disabled={last === null} onClick={() => last !== null && setPages([...pages, last])}>
          Next
        </Button>
      </span>
    </div>
  )
}
