CREATE TABLE `knowledge_bases` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`embedding_model_id` integer,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`embedding_model_id`) REFERENCES `models`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `knowledge_bases_name_unique` ON `knowledge_bases` (`name`);--> statement-breakpoint
CREATE INDEX `knowledge_bases_model` ON `knowledge_bases` (`embedding_model_id`);--> statement-breakpoint
CREATE TABLE `knowledge_chunks` (
	`id` integer PRIMARY KEY NOT NULL,
	`file_id` text NOT NULL,
	`seq` integer NOT NULL,
	`start` integer NOT NULL,
	`end` integer NOT NULL,
	`page` integer,
	`headings` text NOT NULL,
	`index` text NOT NULL,
	`text` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `knowledge_chunks_place` ON `knowledge_chunks` (`file_id`,`seq`);--> statement-breakpoint
CREATE TABLE `knowledge_files` (
	`id` text PRIMARY KEY NOT NULL,
	`knowledge_base_id` text NOT NULL,
	`file_name` text NOT NULL,
	`file_type` text NOT NULL,
	`file_size` integer NOT NULL,
	`hash` text,
	`status` text NOT NULL,
	`status_message` text,
	`chunk_count` integer NOT NULL,
	`chunks_done` integer NOT NULL,
	`created_at` text NOT NULL,
	`indexed_at` text,
	FOREIGN KEY (`knowledge_base_id`) REFERENCES `knowledge_bases`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `knowledge_files_base` ON `knowledge_files` (`knowledge_base_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `knowledge_links` (
	`knowledge_base_id` text NOT NULL,
	`agent_id` text NOT NULL,
	PRIMARY KEY(`knowledge_base_id`, `agent_id`),
	FOREIGN KEY (`knowledge_base_id`) REFERENCES `knowledge_bases`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `knowledge_links_agent` ON `knowledge_links` (`agent_id`);--> statement-breakpoint
CREATE TABLE `knowledge_rubbish` (
	`file_id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `knowledge_uploads` (
	`id` integer PRIMARY KEY NOT NULL,
	`file_id` text NOT NULL,
	`bytes` blob NOT NULL,
	FOREIGN KEY (`file_id`) REFERENCES `knowledge_files`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `knowledge_uploads_file` ON `knowledge_uploads` (`file_id`);--> statement-breakpoint
CREATE TABLE `knowledge_vectors` (
	`chunk_id` integer PRIMARY KEY NOT NULL,
	`file_id` text NOT NULL,
	`model` text NOT NULL,
	`vector` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `knowledge_vectors_file` ON `knowledge_vectors` (`file_id`);--> statement-breakpoint
CREATE VIRTUAL TABLE `knowledge_words` USING fts5(text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');--> statement-breakpoint
CREATE VIRTUAL TABLE `knowledge_trigrams` USING fts5(text, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1');--> statement-breakpoint
CREATE VIRTUAL TABLE `knowledge_pairs` USING fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');--> statement-breakpoint
CREATE TRIGGER `knowledge_words_swept` AFTER DELETE ON `knowledge_chunks` WHEN old.`index` = 'words' BEGIN
	DELETE FROM `knowledge_words` WHERE rowid = old.id;
END;--> statement-breakpoint
CREATE TRIGGER `knowledge_trigrams_swept` AFTER DELETE ON `knowledge_chunks` WHEN old.`index` = 'trigrams' BEGIN
	DELETE FROM `knowledge_trigrams` WHERE rowid = old.id;
END;--> statement-breakpoint
CREATE TRIGGER `knowledge_pairs_swept` AFTER DELETE ON `knowledge_chunks` WHEN old.`index` = 'pairs' BEGIN
	DELETE FROM `knowledge_pairs` WHERE rowid = old.id;
END;--> statement-breakpoint
CREATE TRIGGER `knowledge_vectors_swept` AFTER DELETE ON `knowledge_chunks` BEGIN
	DELETE FROM `knowledge_vectors` WHERE chunk_id = old.id;
END;--> statement-breakpoint
CREATE TRIGGER `knowledge_files_left` AFTER DELETE ON `knowledge_files` BEGIN
	INSERT OR IGNORE INTO `knowledge_rubbish` VALUES (old.id);
END;
