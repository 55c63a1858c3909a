import { Fragment } from "react";
import { type Block, type Inline, readBlocks, readInline } from "./markdownBlocks";
import "./markdown.css";

/** Markdown as elements of our own; nothing of it is ever HTML. `firstRow` numbers the rows of a table. */
export function Markdown({ text, firstRow }: { text: string; firstRow?: number | null }) {
  return readBlocks(text).map((block, place) => (
    <BlockView key={`${place}`} block={block} firstRow={firstRow ?? null} />
  ));
}

function BlockView({ block, firstRow }: { block: Block; firstRow: number | null }) {
  switch (block.kind) {
    case "heading": {
      // The page has its own first two levels.
      const Level = `h${Math.min(block.level + 2, 6)}` as "h3";
      return (
        <Level className={`md-heading md-heading-${block.level}`}>
          <Words text={block.text} />
        </Level>
      );
    }
    case "code":
      return (
        <pre className="md-code">
          <code>{block.text}</code>
        </pre>
      );
    case "list":
      return (
        <ul className="md-list">
          {block.items.map((item, place) => (
            <ItemView key={`${place}`} {...item} />
          ))}
        </ul>
      );
    case "table":
      return <TableView {...block} firstRow={firstRow} />;
    case "rule":
      return <hr className="md-rule" />;
    case "quote":
      return (
        <blockquote className="md-quote">
          <Words text={block.text} />
        </blockquote>
      );
    case "paragraph":
      return (
        <p className="md-paragraph">
          <Words text={block.text} />
        </p>
      );
  }
}

type Item = Extract<Block, { kind: "list" }>["items"][number];
const TASK = /^\[([ xX])\]\s+/;

function ItemView({ depth, mark, text }: Item) {
  const task = TASK.exec(text)?.[1];
  const sign = task ? (task === " " ? "☐" : "☑") : /\d/.test(mark) ? mark : "•";
  return (
    <li style={{ marginInlineStart: `${depth * 1.25}rem` }}>
      <span className="md-mark" aria-hidden={sign === "•"}>
        {sign}
      </span>
      <div>
        <Words text={text.replace(TASK, "")} />
      </div>
    </li>
  );
}

function TableView({ header, rows, firstRow }: Extract<Block, { kind: "table" }> & { firstRow: number | null }) {
  return (
    <div className="md-table">
      <table>
        {header && (
          <thead>
            <tr>
              {firstRow !== null && <td aria-hidden="true" />}
              {header.map((cell, column) => (
                <th key={`${column}`} scope="col">
                  <Words text={cell} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, place) => (
            <tr key={`${place}`}>
              {firstRow !== null && (
                <th scope="row" className="md-row-number">
                  {firstRow + place}
                </th>
              )}
              {row.map((cell, column) => (
                <td key={`${column}`}>
                  <Words text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Words({ text }: { text: string }) {
  return <Pieces pieces={readInline(text)} />;
}

function Pieces({ pieces }: { pieces: Inline[] }) {
  return pieces.map((piece, place) => <Fragment key={`${place}`}>{renderPiece(piece)}</Fragment>);
}

function renderPiece(piece: Inline) {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "code":
      return <code className="md-inline-code">{piece.text}</code>;
    case "strong":
      return (
        <strong>
          <Pieces pieces={piece.children} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Pieces pieces={piece.children} />
        </em>
      );
    case "link":
      return (
        <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow">
          <Pieces pieces={piece.children} />
        </a>
      );
  }
}
