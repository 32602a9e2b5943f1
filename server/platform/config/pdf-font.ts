/** Font file for PDF documents. */
export interface PdfFont {
  path: string
  /** PostScript name of the font in a collection. Null for a file with a single font. */
  name: string | null
}

/**
 * Returns the font from PDF_FONT_CJK, such as `/fonts/NotoSansCJK-Regular.ttc#NotoSansCJKjp-Regular`. Returns null if
 * it is not set.
 */
export function parsePdfFont(text: string | undefined): PdfFont | null {
  if (!text) return null
  const [, path = text, name = null] = /^(.+\.(?:ttf|otf|ttc|otc))(?:#(.+))?$/i.exec(text) ?? []
  return { path, name }
}
